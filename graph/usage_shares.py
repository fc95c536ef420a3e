"""How a step's spending stands in a checkpoint: one short row instead of names and zeros."""

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

from graph.contract.budget import Usage, UsageShare

PackedShare: TypeAlias = list[float]


def pack_share(share: UsageShare) -> PackedShare:
    """The share as a checkpoint stores it: the values of `Usage`'s fields, in their order."""
    spent: Mapping[str, Any] = share
    return [spent.get(key, 0) for key in Usage.__annotations__]


def unpack_share(packed: PackedShare) -> UsageShare:
    """The share that was packed. A row of another length is a ValueError."""
    return cast(UsageShare, dict(zip(Usage.__annotations__, packed, strict=True)))
