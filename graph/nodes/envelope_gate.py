"""`envelope_gate`: takes the next tool call of the message to the gate and does as it says (C3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from graph.contract.budget import observation_bytes_left, tool_call_allowed
from graph.contract.envelope import Evaluation
from graph.contract.gate import decide
from graph.contract.progress import fold
from graph.contract.verdict import (
    Admit,
    Decision,
    Duplicate,
    End,
    KnownFailure,
    Repair,
    Skip,
    Stop,
    Turn,
)
from graph.contract.vocabulary import InformationGain, Rejection, StopReason
from graph.nodes.answers import Answers, repair_view
from graph.nodes.calls import ReadCall, last_calls, read_call
from graph.nodes.ending import STEPS_FOR_NEXT, STEPS_FOR_TOOL
from graph.nodes.frame import NodeBody
from graph.nodes.journal import Journal
from graph.parts import Parts
from graph.state import (
    AppliedEvaluation,
    DialogueCall,
    Ending,
    State,
    TurnState,
    Update,
    Verdict,
    run_key,
)
from tools.evidence import EvidenceStatus
from tools.observation import Observation, RefusalView

MAX_CALLS_A_MESSAGE = 32
"""Later calls of one message are not executed: no model reacts inside a message."""
LEAST_RESULT_BYTES = 256
"""Below it a result could be named but not shown: the run's observation budget is spent (C8)."""
_OUT_OF_STEPS = Decision(End(StopReason.BUDGET_LIMIT_REACHED), events=({"kind": "BUDGET_REACHED"},))


def envelope_gate_node(parts: Parts) -> NodeBody:
    """One tool call, one verdict; the progress events of the decision are written as they are."""

    async def envelope_gate(state: State, journal: Journal) -> Update:
        calls = last_calls(state["dialogue"])
        position = state["turn"]["call"]
        read = read_call(parts, calls[position])
        decision = _OUT_OF_STEPS
        if state["remaining_steps"] >= STEPS_FOR_NEXT:
            decision = decide(
                state["progress"],
                read.request,
                tool_allowed=_tool_allowed(state, journal),
                turn=_turn(state["turn"], position),
            )
        _note_judged(journal, decision)
        case = _Case(state, Answers(parts, journal), read, decision, len(calls))
        case.answers.progress = fold(state["progress"], decision.events)
        update = await _obey(case, calls[position + 1 :])
        if case.answers.messages:
            update["dialogue"] = case.answers.messages
        return {**update, "progress": [*decision.events]}

    return envelope_gate


@dataclass(frozen=True, slots=True)
class _Case:
    state: State
    answers: Answers
    read: ReadCall
    decision: Decision
    calls: int

    def go_on(
        self, verdict: Verdict, *, held: Observation | None = None, answered: int = 1
    ) -> Update:
        """The turn after this call, and how the run goes on."""
        turn, position = self.decision.turn, self.state["turn"]["call"]
        # only a later call of the message can repeat the evaluation (C2.4)
        applied = turn.applied if position + 1 < self.calls else None
        return {
            "turn": {
                "call": position + answered,
                "closed": turn.closed,
                "applied": _applied(applied),
                "held": held.model_dump(exclude_none=True) if held else None,
                "verdict": verdict,
            }
        }

    def after_answer(self, *, answered: int = 1) -> Update:
        """The next call of the message, or the model when all are answered."""
        last = self.state["turn"]["call"] + answered >= self.calls
        return self.go_on("ALL_ANSWERED" if last else "NEXT_CALL", answered=answered)

    def end(self, ending: Ending) -> Update:
        update = self.go_on("RELEASE")
        update["turn"]["ending"] = ending
        return update


async def _obey(case: _Case, rest: Sequence[DialogueCall]) -> Update:
    answers, call = case.answers, case.read.call
    match case.decision.verdict:
        case Admit():
            return case.go_on("ADMITTED", answered=0)
        case Repair() as repair:
            answers.refuse(
                call,
                repair_view(call, repair, case.read.invalid_fields),
                violation=repair.violation,
                repairable=True,
            )
            return case.after_answer()
        case Duplicate(earlier_id, empty):
            found = EvidenceStatus.NO_EVIDENCE if empty else EvidenceStatus.EVIDENCE_FOUND
            view = RefusalView(
                tool_call_id=call["id"],
                error_code=Rejection.DUPLICATE_SCOPE,
                already_checked=earlier_id,
                evidence_status=found,
            )
            answers.refuse(call, view)
            return case.after_answer()
        case KnownFailure(scope_key):
            await answers.repeat_failure(call, run_key(case.state["run"]), scope_key)
            return case.after_answer()
        case Skip():
            for skipped in (call, *rest):
                answers.skip(skipped)
            return case.after_answer(answered=1 + len(rest))
        case Stop(_, violation):
            view = RefusalView(tool_call_id=call["id"], error_code=Rejection.STOP_REQUIRED)
            answers.note_refused(call, Rejection.STOP_REQUIRED, violation=violation)
            return case.go_on("STOP", held=view)
        case End(reason):
            return _ended(case, reason)
        case _ as unreachable:
            assert_never(unreachable)


def _ended(case: _Case, reason: StopReason) -> Update:
    """Collection is over: every call is answered, so that the dialogue stays whole, and traced."""
    delivered = case.state["progress"]["stop_delivered"]
    code = Rejection.STOP_REQUIRED if delivered else Rejection.BUDGET_LIMIT_REACHED
    calls = last_calls(case.state["dialogue"])[case.state["turn"]["call"] :]
    for call in calls:
        case.answers.skip(call, traced_as=code)
    return case.end("CONTROLLED_STOP" if delivered else "BUDGET")


def _tool_allowed(state: State, journal: Journal) -> bool:
    limits = state["progress"]["limits"]
    enough_steps = state["remaining_steps"] >= STEPS_FOR_TOOL
    enough_room = observation_bytes_left(journal.usage, limits) >= LEAST_RESULT_BYTES
    return enough_steps and enough_room and tool_call_allowed(journal.usage, limits)


def _turn(turn: TurnState, position: int) -> Turn:
    applied = turn["applied"]
    return Turn(
        closed=turn["closed"] or position >= MAX_CALLS_A_MESSAGE,
        applied=Evaluation(applied["tool_call_id"], InformationGain(applied["information_gain"]))
        if applied
        else None,
    )


def _applied(evaluation: Evaluation | None) -> AppliedEvaluation | None:
    if evaluation is None:
        return None
    return AppliedEvaluation(
        tool_call_id=evaluation.tool_call_id, information_gain=evaluation.gain.value
    )


def _note_judged(journal: Journal, decision: Decision) -> None:
    for judged in decision.judged:
        journal.note(
            "INFORMATION_GAIN",
            tool_call_id=judged.tool_call_id,
            value=judged.gain,
            by=judged.by,
            consecutive_no_gain=judged.consecutive_no_gain,
            collection_state=judged.collection_state,
        )
