"""A run played on the gate and on the oracle at once, the way the graph plays it (C2.4, C3).

`World` is immutable: every step gives a new one, so that one world can be left by many ways.
"""

from dataclasses import replace
from typing import Literal, NamedTuple, assert_never

from graph.contract.envelope import Evaluation, ToolRequest
from graph.contract.gate import decide
from graph.contract.limits import Limits
from graph.contract.progress import Event, Progress, begin_progress, fold
from graph.contract.verdict import (
    Admit,
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
from graph.contract.vocabulary import InformationGain
from tests.contract_rules.oracle import EMPTY, READY, SATURATED, Ask, Gain, Oracle

TOOL = "query_logs"


def limits(patience: int = 2, tolerance: int = 2) -> Limits:
    """The default limits with the two thresholds of C3.7."""
    return Limits(
        stop_after_consecutive_no_gain=patience,
        stop_after_consecutive_protocol_violations=tolerance,
        max_model_calls=14,
        release_reserve_calls=2,
        max_tool_calls=8,
        max_tokens=60_000,
        max_observation_bytes=8_192,
        max_run_observation_bytes=131_072,
        max_seconds=180.0,
        tool_timeout_seconds=20.0,
    )


def request(ask: Ask) -> ToolRequest:
    says = None if ask.says is None else Evaluation(ask.says[0], InformationGain(ask.says[1]))
    return ToolRequest(
        tool_call_id=ask.id,
        tool=TOOL,
        known_tool=ask.known_tool,
        well_formed=ask.readable,
        has_input=ask.has_input,
        evaluation=says,
        scope_key=ask.scope,
    )


def plain(verdict: Verdict) -> tuple[object, ...]:
    """A verdict in the oracle's words."""
    match verdict:
        case Admit(scope):
            return ("ADMIT", scope)
        case Repair(violation, expected, row):
            return ("REPAIR", violation.value, expected, row)
        case Duplicate(earlier, empty):
            return ("DUPLICATE", earlier, empty)
        case KnownFailure(scope):
            return ("KNOWN_FAILURE", scope)
        case Skip():
            return ("SKIP",)
        case Stop(reason, violation):
            return ("STOP", reason.value, violation.value if violation else None)
        case End(reason):
            return ("END", reason.value)
        case _:
            assert_never(verdict)


class World(NamedTuple):
    """A run between two tool calls.

    `at`: MESSAGE, another call of the message may come; ANSWERED, the rest of the message was
    answered; OVER, the run went to release. `verdict` is the latest one.
    """

    progress: Progress
    oracle: Oracle
    turn: Turn = Turn()
    at: Literal["MESSAGE", "ANSWERED", "OVER"] = "ANSWERED"
    deliveries: int = 0
    executions: tuple[tuple[str, str], ...] = ()
    verdict: tuple[object, ...] = ()

    @classmethod
    def begin(cls, patience: int, tolerance: int) -> "World":
        return cls(begin_progress(limits(patience, tolerance)), Oracle(patience, tolerance))

    def message(self) -> "World":
        """The model answers with a new assistant message."""
        assert self.at != "OVER"
        return self._replace(turn=Turn(), at="MESSAGE", oracle=self.oracle.opens_message())

    def draft(self) -> "World":
        """C2.3: the model ends by itself, whatever is pending."""
        return self._replace(at="OVER")

    def call(self, ask: Ask, outcome: str = READY) -> "World":
        """One tool call of the message; `outcome` is what its tool would bring, were it to run."""
        assert self.at == "MESSAGE"
        decision = decide(self.progress, request(ask), tool_allowed=ask.room, turn=self.turn)
        oracle, reply = self.oracle.asks(ask)
        assert plain(decision.verdict) == reply.verdict
        assert tuple(map(_gain, decision.judged)) == reply.gains
        after = self._replace(
            progress=fold(self.progress, decision.events),
            turn=decision.turn,
            oracle=oracle,
            verdict=reply.verdict,
        ).agrees()
        match decision.verdict:
            case Admit(scope):
                return after._runs(ask.id, scope, outcome)
            case Stop():
                return after._delivers_stop()
            case End():
                return after._replace(at="OVER")
            case Skip():
                assert after.progress == self.progress, "a skipped call changed the run (C2.4)"
                assert after.turn == self.turn
                return after
            case Repair() | Duplicate() | KnownFailure():
                return after
            case other:
                assert_never(other)

    def agrees(self) -> "World":
        """Every counter of the fold is what the oracle reads off its facts."""
        progress, oracle = self.progress, self.oracle
        completed = oracle.completed
        pending = progress["pending"]
        assert progress["consecutive_no_gain"] == oracle.no_gain_in_a_row
        assert progress["consecutive_protocol_violations"] == oracle.violations_in_a_row
        assert (pending["tool_call_id"] if pending else None) == oracle.pending
        assert pending is None or pending["tool"] == TOOL
        assert progress["completed"] == {scope: call for scope, (call, _) in completed.items()}
        assert sorted(progress["empty"]) == sorted(s for s, (_, none) in completed.items() if none)
        assert progress["failures"] == oracle.failures
        assert progress["invocation_keys"] == [_record(scope) for scope in oracle.executed]
        assert progress["stop_reason"] == oracle.stop_reason
        assert progress["stop_delivered"] == oracle.delivered
        assert progress["collection_state"] == oracle.state
        assert progress["limits"] == limits(oracle.patience, oracle.tolerance)
        return self

    def _runs(self, call_id: str, scope: str, outcome: str) -> "World":
        after = self._replace(
            progress=fold(self.progress, [_event(call_id, scope, outcome)]),
            oracle=self.oracle.ran(call_id, scope, outcome),
            executions=(*self.executions, (scope, outcome)),
        ).agrees()
        if outcome == READY:
            return after._replace(turn=replace(after.turn, closed=True))
        if after.progress["stop_reason"] is not None:
            assert after.progress["stop_reason"] == SATURATED
            return after._delivers_stop()
        return after

    def _delivers_stop(self) -> "World":
        return self._replace(
            progress=fold(self.progress, [{"kind": "STOP_DELIVERED"}]),
            oracle=self.oracle.delivers_stop(),
            deliveries=self.deliveries + 1,
            at="ANSWERED",
        ).agrees()


def _gain(judged: GainJudged) -> Gain:
    return Gain(
        judged.tool_call_id,
        judged.gain.value,
        judged.by.value,
        judged.consecutive_no_gain,
        judged.collection_state,
    )


def _record(scope: str) -> str:
    return f"record of {scope}"


def _event(call_id: str, scope: str, outcome: str) -> Event:
    if outcome == READY:
        return {
            "kind": "TOOL_READY",
            "tool_call_id": call_id,
            "tool": TOOL,
            "scope_key": scope,
            "invocation_key": _record(scope),
        }
    if outcome == EMPTY:
        return {
            "kind": "TOOL_EMPTY",
            "tool_call_id": call_id,
            "scope_key": scope,
            "invocation_key": _record(scope),
        }
    return {"kind": "TOOL_FAILED", "scope_key": scope, "invocation_key": _record(scope)}
