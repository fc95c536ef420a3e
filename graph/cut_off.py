"""What a node had spent on models when it was cut off, and could not write down (C7.2).

Kept in this process until the run is closed or goes on; after a crash nobody knows it.
"""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass

from graph.audit.events import TraceEvent
from graph.contract.budget import UsageShare

MAX_RUNS = 1_024
"""Runs that nobody closes or takes up are forgotten, the oldest first."""

_OF_MODELS = frozenset({"MODEL_TOKEN_USAGE", "MODEL_RETRY"})
_SPENT_ON_MODELS = frozenset(
    {
        "model_calls",
        "input_tokens",
        "output_tokens",
        "total_tokens",
        "usage_unavailable",
        "seconds",
    }
)


@dataclass(frozen=True, slots=True)
class Unwritten:
    """The events of the model calls, in order, their `seq` void; what they and the node took."""

    events: list[TraceEvent]
    usage: UsageShare


_left: OrderedDict[str, Unwritten] = OrderedDict()


def leave(run_key: str, events: Iterable[TraceEvent], spent: UsageShare) -> None:
    """Keep what a node of the run spends, its calls of models alone."""
    usage: UsageShare = {}
    for name in _SPENT_ON_MODELS & spent.keys():
        usage[name] = spent[name]  # type: ignore[literal-required]
    _left[run_key] = Unwritten([e for e in events if e["type"] in _OF_MODELS], usage)
    if len(_left) > MAX_RUNS:
        _left.popitem(last=False)


def take(run_key: str) -> Unwritten | None:
    """What was kept of the run, once; None where none of its nodes was cut off here."""
    return _left.pop(run_key, None)
