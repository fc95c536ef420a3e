"""The gate: ordered, named rules that turn one tool request into one verdict (C3).

`decide` changes nothing and asks nobody: what it needs to know stands in its arguments.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from graph.contract.envelope import ToolRequest
from graph.contract.progress import Event, Progress, fold
from graph.contract.verdict import (
    Admit,
    Decision,
    Duplicate,
    End,
    GainJudged,
    KnownFailure,
    Repair,
    Skip,
    Stop,
    Turn,
    Verdict,
)
from graph.contract.vocabulary import InformationGain, Judge, StopReason, Violation


@dataclass(frozen=True, slots=True)
class _Case:
    progress: Progress
    request: ToolRequest
    tool_allowed: bool
    turn: Turn
    events: tuple[Event, ...] = ()
    judged: tuple[GainJudged, ...] = ()

    def after(self, *events: Event) -> "_Case":
        return replace(self, progress=fold(self.progress, events), events=(*self.events, *events))

    def gain(self, tool_call_id: str, gain: InformationGain, by: Judge) -> "_Case":
        case = self.after({"kind": "GAIN_ASSIGNED", "gain": gain.value})
        judged = GainJudged(
            tool_call_id,
            gain,
            by,
            case.progress["consecutive_no_gain"],
            case.progress["collection_state"],
        )
        return replace(case, judged=(*case.judged, judged))

    def decided(self, verdict: Verdict) -> Decision:
        return Decision(verdict, self.events, self.judged, self.turn)


class Rule(NamedTuple):
    """One row of the gate's table: a name, what it says, and what it does with a case."""

    name: str
    says: str
    apply: Callable[[_Case], "_Case | Decision"]


def decide(
    progress: Progress, request: ToolRequest, *, tool_allowed: bool, turn: Turn | None = None
) -> Decision:
    """The verdict on one tool request (C3). The limits are the run's own, inside `progress`.

    `tool_allowed`: whether the budgets leave room for a tool and for a model call after it.
    """
    case = _Case(progress, request, tool_allowed, turn or Turn())
    for rule in RULES:
        outcome = rule.apply(case)
        if isinstance(outcome, Decision):
            return outcome
        case = outcome
    return case.decided(Admit(str(request.scope_key)))


def find_violation(progress: Progress, request: ToolRequest, turn: Turn) -> Violation | None:
    """The first way in which the request breaks the protocol (C2.2)."""
    return next((kind for kind, broken in _VIOLATIONS if broken(progress, request, turn)), None)


def _ignored(request: ToolRequest, turn: Turn) -> bool:
    """Repeating the evaluation just applied, in the same message, says nothing new (C2.4)."""
    return request.evaluation is not None and request.evaluation == turn.applied


def _missing_previous(progress: Progress, request: ToolRequest, turn: Turn) -> bool:
    return progress["pending"] is not None and request.evaluation is None


def _out_of_order(progress: Progress, request: ToolRequest, turn: Turn) -> bool:
    pending, evaluation = progress["pending"], request.evaluation
    return (
        pending is not None
        and evaluation is not None
        and evaluation.tool_call_id != pending["tool_call_id"]
    )


def _unexpected_previous(progress: Progress, request: ToolRequest, turn: Turn) -> bool:
    return (
        progress["pending"] is None
        and request.evaluation is not None
        and not _ignored(request, turn)
    )


_VIOLATIONS: tuple[tuple[Violation, Callable[[Progress, ToolRequest, Turn], bool]], ...] = (
    (Violation.UNKNOWN_TOOL, lambda progress, request, turn: not request.known_tool),
    (Violation.INVALID_ENVELOPE, lambda progress, request, turn: not request.well_formed),
    (Violation.MISSING_INPUT, lambda progress, request, turn: not request.has_input),
    (Violation.MISSING_PREVIOUS_OBSERVATION, _missing_previous),
    (Violation.OUT_OF_ORDER_PREVIOUS_OBSERVATION, _out_of_order),
    (Violation.UNEXPECTED_PREVIOUS_OBSERVATION, _unexpected_previous),
    (Violation.INVALID_INPUT, lambda progress, request, turn: request.scope_key is None),
)


def _stop_is_set(case: _Case) -> _Case | Decision:
    """No tool after a stop reason, delivered or still due; a budget's stop is never delivered."""
    if case.progress["stop_reason"] is None:
        return case
    reason = StopReason(case.progress["stop_reason"])
    over = case.progress["stop_delivered"] or reason is StopReason.BUDGET_LIMIT_REACHED
    return case.decided(End(reason) if over else Stop(reason))


def _turn_is_closed(case: _Case) -> _Case | Decision:
    return case.decided(Skip()) if case.turn.closed else case


def _protocol(case: _Case) -> _Case | Decision:
    violation = find_violation(case.progress, case.request, case.turn)
    if violation is None:
        return case.after({"kind": "REQUEST_ACCEPTED"})
    pending = case.progress["pending"]
    case = case.after({"kind": "PROTOCOL_VIOLATED"})
    if reason := case.progress["stop_reason"]:
        return case.decided(Stop(StopReason(reason), violation))
    case = replace(case, turn=replace(case.turn, closed=True))
    expected = pending["tool_call_id"] if pending else None
    count = case.progress["consecutive_protocol_violations"]
    return case.decided(Repair(violation, expected, count))


def _evaluation(case: _Case) -> _Case | Decision:
    evaluation = case.request.evaluation
    if evaluation is None or _ignored(case.request, case.turn):
        return case
    case = case.gain(evaluation.tool_call_id, evaluation.gain, Judge.MODEL)
    return _stop_if_saturated(replace(case, turn=replace(case.turn, applied=evaluation)))


def _duplicate(case: _Case) -> _Case | Decision:
    key = str(case.request.scope_key)
    earlier = case.progress["completed"].get(key)
    if earlier is None:
        return case
    case = case.gain(case.request.tool_call_id, InformationGain.NO_GAIN, Judge.HARNESS)
    stopped = _stop_if_saturated(case)
    if isinstance(stopped, Decision):
        return stopped
    return case.decided(Duplicate(earlier, key in case.progress["empty"]))


def _known_failure(case: _Case) -> _Case | Decision:
    key = str(case.request.scope_key)
    if case.progress["failures"].get(key, 0) < MAX_FAILURES_A_SCOPE:
        return case
    return case.decided(KnownFailure(key))


def _budget(case: _Case) -> _Case | Decision:
    if case.tool_allowed:
        return case
    case = case.after({"kind": "BUDGET_REACHED"})
    return case.decided(End(StopReason.BUDGET_LIMIT_REACHED))


def _stop_if_saturated(case: _Case) -> _Case | Decision:
    reason = case.progress["stop_reason"]
    return case.decided(Stop(StopReason(reason))) if reason else case


MAX_FAILURES_A_SCOPE = 2

RULES: tuple[Rule, ...] = (
    Rule(
        "stop",
        "a delivered stop ends the run, its reason kept; one still due is delivered",
        _stop_is_set,
    ),
    Rule("message is closed", "answered NOT_EXECUTED; no counter moves", _turn_is_closed),
    Rule("protocol", "a violation is repaired, or stops at the threshold", _protocol),
    Rule("evaluation", "GAINED resets, NO_GAIN counts, the threshold stops", _evaluation),
    Rule("duplicate scope", "NO_GAIN by the harness; the earlier result is named", _duplicate),
    Rule("known failure", "a scope that failed twice is answered from its record", _known_failure),
    Rule("budget", "no tool call or no model call left: straight to release", _budget),
)
