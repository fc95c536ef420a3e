"""A run's progress and the only arithmetic on it: `fold` turns events into counters (C1.1, C3).

Progress is a dict of primitives so that it shows in Studio and survives any checkpoint (C1.2).
Events are dicts for the same reason; they are what a node writes and a checkpoint stores.
"""

from collections.abc import Iterable
from typing import Literal, TypeAlias, assert_never

from typing_extensions import TypedDict

from graph.contract.limits import Limits
from graph.contract.vocabulary import CollectionState, InformationGain, StopReason


class Pending(TypedDict):
    """The observation that awaits the model's evaluation."""

    tool_call_id: str
    tool: str


class Progress(TypedDict):
    """The operator's view of a run. Scope keys and record keys are digests, never scopes.

    `completed`: scope key -> tool call id of the READY result. `empty`: the completed scope keys
    that found nothing. `failures`: scope key -> how often it failed. `invocation_keys`: records
    in execution order.
    """

    collection_state: str
    stop_reason: str | None
    stop_delivered: bool
    consecutive_no_gain: int
    consecutive_protocol_violations: int
    pending: Pending | None
    completed: dict[str, str]
    empty: list[str]
    failures: dict[str, int]
    invocation_keys: list[str]
    limits: Limits


class GainAssigned(TypedDict):
    """The pending observation was judged by the model, or a repeat by the harness."""

    kind: Literal["GAIN_ASSIGNED"]
    gain: str


class ToolReady(TypedDict):
    """A tool found something: its result awaits evaluation."""

    kind: Literal["TOOL_READY"]
    tool_call_id: str
    tool: str
    scope_key: str
    invocation_key: str


class ToolEmpty(TypedDict):
    """A tool found nothing in its scope."""

    kind: Literal["TOOL_EMPTY"]
    tool_call_id: str
    scope_key: str
    invocation_key: str


class ToolFailed(TypedDict):
    """A tool could not answer: no information gain at all."""

    kind: Literal["TOOL_FAILED"]
    scope_key: str
    invocation_key: str


class RequestAccepted(TypedDict):
    """A request kept the protocol."""

    kind: Literal["REQUEST_ACCEPTED"]


class ProtocolViolated(TypedDict):
    """A request broke the protocol; what it carried is discarded."""

    kind: Literal["PROTOCOL_VIOLATED"]


class BudgetReached(TypedDict):
    """A budget ended collection."""

    kind: Literal["BUDGET_REACHED"]


class StopDelivered(TypedDict):
    """STOP_REQUIRED was written into an observation."""

    kind: Literal["STOP_DELIVERED"]


Event: TypeAlias = (
    GainAssigned
    | ToolReady
    | ToolEmpty
    | ToolFailed
    | RequestAccepted
    | ProtocolViolated
    | BudgetReached
    | StopDelivered
)


def begin_progress(limits: Limits) -> Progress:
    """Progress of a run that has done nothing yet, with limits of its own (C3.7)."""
    return Progress(
        collection_state=CollectionState.COLLECTING.value,
        stop_reason=None,
        stop_delivered=False,
        consecutive_no_gain=0,
        consecutive_protocol_violations=0,
        pending=None,
        completed={},
        empty=[],
        failures={},
        invocation_keys=[],
        limits=Limits(**limits),
    )


def fold(progress: Progress, events: Iterable[Event]) -> Progress:
    """The progress after the events, in order; the argument is left as it was."""
    after = progress
    for event in events:
        after = _step(after, event)
    return after


def _step(progress: Progress, event: Event) -> Progress:
    match event["kind"]:
        case "GAIN_ASSIGNED":
            return _judged(progress, event["gain"])
        case "TOOL_READY":
            pending = Pending(tool_call_id=event["tool_call_id"], tool=event["tool"])
            return _changed(_completed(progress, event), pending=pending)
        case "TOOL_EMPTY":
            after = _completed(progress, event)
            after["empty"] = [*after["empty"], event["scope_key"]]
            return _no_gain(after)
        case "TOOL_FAILED":
            failures = dict(progress["failures"])
            failures[event["scope_key"]] = failures.get(event["scope_key"], 0) + 1
            return _recorded(_changed(progress, failures=failures), event["invocation_key"])
        case "REQUEST_ACCEPTED":
            return _changed(progress, consecutive_protocol_violations=0)
        case "PROTOCOL_VIOLATED":
            return _violated(progress)
        case "BUDGET_REACHED":
            return _stopped(progress, StopReason.BUDGET_LIMIT_REACHED)
        case "STOP_DELIVERED":
            return _changed(progress, stop_delivered=True)
        case _ as unreachable:
            assert_never(unreachable)


def _judged(progress: Progress, gain: str) -> Progress:
    after = _changed(progress, pending=None)
    match InformationGain(gain):
        case InformationGain.GAINED:
            return _changed(after, consecutive_no_gain=0)
        case InformationGain.NO_GAIN:
            return _no_gain(after)
        case _ as unreachable:
            assert_never(unreachable)


def _no_gain(progress: Progress) -> Progress:
    count = progress["consecutive_no_gain"] + 1
    after = _changed(progress, consecutive_no_gain=count)
    if count < progress["limits"]["stop_after_consecutive_no_gain"]:
        return after
    return _stopped(
        _changed(after, collection_state=CollectionState.SATURATED.value),
        StopReason.INFORMATION_SATURATED,
    )


def _violated(progress: Progress) -> Progress:
    count = progress["consecutive_protocol_violations"] + 1
    after = _changed(progress, consecutive_protocol_violations=count)
    if count < progress["limits"]["stop_after_consecutive_protocol_violations"]:
        return after
    return _stopped(after, StopReason.PROGRESS_PROTOCOL_VIOLATED)


def _stopped(progress: Progress, reason: StopReason) -> Progress:
    """The first stop reason wins (C3.9)."""
    return _changed(progress, stop_reason=progress["stop_reason"] or reason.value)


def _completed(progress: Progress, event: ToolReady | ToolEmpty) -> Progress:
    completed = {**progress["completed"], event["scope_key"]: event["tool_call_id"]}
    return _recorded(_changed(progress, completed=completed), event["invocation_key"])


def _recorded(progress: Progress, key: str) -> Progress:
    if key in progress["invocation_keys"]:
        return progress
    return _changed(progress, invocation_keys=[*progress["invocation_keys"], key])


def _changed(progress: Progress, **fields: object) -> Progress:
    return {**progress, **fields}  # type: ignore[typeddict-item]
