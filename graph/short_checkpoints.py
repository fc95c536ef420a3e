"""What a checkpoint says of itself: short, where LangGraph's savers are long.

A checkpoint names a version for every channel, and again for every channel that a node has seen.
LangGraph's own savers spell each in 49 characters, a counter and a random number: two thirds of
what a checkpoint of ours takes. The random part tells apart the blobs of two branches of a thread
where a store keeps them beside the checkpoints, keyed by version; in SQLite they lie inside.

LangGraph also counts, for every delta channel, the steps since its last whole value, so as to store
one in time, and lists the channels of the step, so as to find the next nodes faster. `begin` stores
whole values in every run, and the versions alone say which nodes are next: neither is kept.

A server repeats in every checkpoint which version it is, on what host and at which address: for a
long run, a tenth of all that is stored. The checkpoint of a run's input tells it once.

A saver that is not LangGraph's own is left as it is, and so are the versions of a thread that was
begun with long ones.
"""

import copy
import secrets
from collections.abc import Callable
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
)

Saver = BaseCheckpointSaver[Any]
Following = Callable[[Any], int | str | None]
"""The version after a given one, which is None for the first; None where that one is long."""

_WHOLE = {("langgraph.checkpoint.sqlite.aio", "AsyncSqliteSaver")}
_BRANCHING = {
    ("langgraph.checkpoint.postgres.aio", "AsyncPostgresSaver"),
    ("langgraph.checkpoint.memory", "InMemorySaver"),
}
_OF_THE_HOST = frozenset(
    {
        "langgraph_version",
        "langgraph_api_version",
        "langgraph_api_url",
        "langgraph_host",
        "langgraph_plan",
    }
)
_COUNTERS, _UPDATED = "counters_since_delta_snapshot", "updated_channels"
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_APART = len(_DIGITS) ** 5


def with_short_checkpoints(saver: Saver) -> Saver:
    """A copy of the saver for one invocation, or the saver itself."""
    bases = {(base.__module__, base.__name__) for base in type(saver).__mro__}
    if bases & _WHOLE:
        return _shortened(saver, _next_whole)
    if bases & _BRANCHING:
        return _shortened(saver, _versions_of_a_branch())
    return saver


def _shortened(saver: Saver, following: Following) -> Saver:
    short = copy.copy(saver)

    def get_next_version(current: Any, channel: None) -> Any:
        """The version after `current`, None for the first."""
        version = following(current)
        return saver.get_next_version(current, channel) if version is None else version

    async def aput(
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """As the saver does it, without what LangGraph does without."""
        needed = {key: value for key, value in checkpoint.items() if key != _UPDATED}
        told = {key: value for key, value in metadata.items() if key != _COUNTERS}
        if metadata.get("source") != "input":
            config = _without_host(config)
        return await saver.aput(
            config, cast(Checkpoint, needed), cast(CheckpointMetadata, told), new_versions
        )

    short.get_next_version = get_next_version  # type: ignore[method-assign]
    short.aput = aput  # type: ignore[method-assign]
    if hasattr(saver, "setup"):
        # the tables are made once, not once a copy
        short.setup = saver.setup  # type: ignore[attr-defined]
    return short


def _without_host(config: RunnableConfig) -> RunnableConfig:
    """The configuration, which a saver adds to the metadata of a checkpoint."""
    return {
        **config,
        "metadata": _trimmed(config.get("metadata", {})),
        "configurable": _trimmed(config.get("configurable", {})),
    }


def _trimmed(told: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in told.items() if key not in _OF_THE_HOST}


def _next_whole(current: Any) -> int | None:
    """1, 2, 3, …"""
    if current is None or isinstance(current, int):
        return (current or 0) + 1
    return None


def _versions_of_a_branch() -> Following:
    """Counts that go on at a random distance from what the thread has: two invocations that go on
    from one checkpoint do not meet, at odds of one in 60 million a blob."""
    reached = 0

    def following(current: Any) -> str | None:
        nonlocal reached
        if not (current is None or (isinstance(current, str) and current[:1].isalpha())):
            return None
        count = _count(current) if current else 0
        reached = 1 + (max(reached, count) if reached else count + secrets.randbelow(_APART))
        return _spelt(reached)

    return following


def _spelt(count: int) -> str:
    """In base 36 behind a letter for its length, so that texts sort as numbers do."""
    digits = ""
    while count:
        count, digit = divmod(count, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return f"{chr(ord('a') + len(digits) - 1)}{digits}"


def _count(spelt: str) -> int:
    """The count in a version; what an earlier one has behind it, a random part, does not count."""
    length = ord(spelt[0]) - ord("a") + 1
    return int(spelt[1 : 1 + length], len(_DIGITS))
