"""Observations on their way into the dialogue: written, counted and traced, one a tool call."""

from graph.audit.events import failed_invocation
from graph.contract.progress import Progress
from graph.contract.verdict import Repair
from graph.contract.vocabulary import InformationGain, Rejection, Violation
from graph.nodes.calls import known_name
from graph.nodes.journal import Journal
from graph.parts import Parts
from graph.state import DialogueCall, DialogueMessage
from tools.invocations import InvocationRecord
from tools.observation import FailureView, Observation, RefusalView, observation_text
from tools.scope import invocation_key

MAX_INVALID_FIELDS = 16
_GAINS = [gain.value for gain in InformationGain]
_MISSING_FIELDS = {
    Violation.MISSING_INPUT: "input",
    Violation.MISSING_PREVIOUS_OBSERVATION: "previous_observation",
}
_ABOUT_EVALUATION = frozenset(
    {
        Violation.INVALID_ENVELOPE,
        Violation.MISSING_PREVIOUS_OBSERVATION,
        Violation.OUT_OF_ORDER_PREVIOUS_OBSERVATION,
    }
)


class Answers:
    """Collects the observations of one node run. `progress` is what the trace states."""

    progress: Progress

    def __init__(self, parts: Parts, journal: Journal) -> None:
        self.messages: list[DialogueMessage] = []
        self._parts = parts
        self._journal = journal

    def write(self, call: DialogueCall, view: Observation) -> None:
        """Answer one call with one observation (C0)."""
        text = observation_text(view)
        self._journal.usage["observation_bytes"] += len(text.encode())
        self.messages.append(
            DialogueMessage(kind="tool", tool_call_id=call["id"], name=call["name"], content=text)
        )

    def refuse(
        self,
        call: DialogueCall,
        view: RefusalView,
        *,
        violation: Violation | None = None,
        repairable: bool = False,
    ) -> None:
        """Answer a request that does not run, and trace it (C3, C7)."""
        self.write(call, view)
        self.note_refused(
            call, Rejection(view.error_code), violation=violation, repairable=repairable
        )

    def skip(self, call: DialogueCall, *, traced_as: Rejection = Rejection.NOT_EXECUTED) -> None:
        """Answer a call that is not looked at (C2.4)."""
        view = RefusalView(tool_call_id=call["id"], error_code=Rejection.NOT_EXECUTED)
        self.write(call, view)
        self.note_refused(call, traced_as)

    def note_refused(
        self,
        call: DialogueCall,
        code: Rejection,
        *,
        violation: Violation | None = None,
        repairable: bool = False,
    ) -> None:
        """Trace a refused request: codes and counts, no argument (C7)."""
        self._journal.note(
            "TOOL_REQUEST_REJECTED",
            tool_call_id=call["id"],
            tool=known_name(self._parts, call["name"]),
            error_code=code,
            violation_type=violation,
            repair_prompt_delivered=repairable,
            consecutive_protocol_violations=self.progress["consecutive_protocol_violations"],
            stop_reason=self.progress["stop_reason"],
        )

    def note_invocation(
        self, call: DialogueCall, record: InvocationRecord, *, duration_ms: int, reused: bool
    ) -> None:
        """Trace what a tool did: status, sizes and codes, no content (C7)."""
        self._journal.note(
            "TOOL_INVOCATION",
            tool_call_id=call["id"],
            tool=record["tool"],
            status=record["status"],
            evidence_status=record["evidence_status"],
            items=len(record["evidence"]),
            bytes=record["bytes"],
            truncated=record["truncated"],
            duration_ms=duration_ms,
            error_code=record["error_code"],
            reused=reused,
        )

    async def repeat_failure(self, call: DialogueCall, run_key: str, scope_key: str) -> None:
        """Answer from the record a scope that has failed twice; nothing runs (C3). Without a
        record that can be read now, the failure is still told and traced."""
        key = invocation_key(run_key, scope_key)
        record = (await self._parts.boundary.find([key]))[key]
        code = (record["error_code"] if record else None) or "TOOL_FAILED"
        self.write(call, FailureView(tool_call_id=call["id"], error_code=code, retryable=False))
        name = known_name(self._parts, call["name"])
        fields = failed_invocation(call["id"], name, code, reused=True)
        self._journal.note("TOOL_INVOCATION", **fields)


def repair_view(call: DialogueCall, repair: Repair, invalid_fields: tuple[str, ...]) -> RefusalView:
    """How the next request can keep the protocol: names and ids, no values (C4)."""
    evaluation_due = repair.expected_tool_call_id is not None
    asks_for_evaluation = evaluation_due and repair.violation in _ABOUT_EVALUATION
    fields = _invalid_fields(repair.violation, invalid_fields)
    return RefusalView(
        tool_call_id=call["id"],
        error_code=Rejection.INVALID_PROGRESS_PROTOCOL,
        repair_required=True,
        violation_type=repair.violation,
        missing_field=_MISSING_FIELDS.get(repair.violation),
        invalid_fields=fields or None,
        expected_previous_tool_call_id=repair.expected_tool_call_id,
        allowed_information_gain=[g.value for g in InformationGain]
        if asks_for_evaluation
        else None,
        consecutive_protocol_violations=repair.consecutive,
    )


def _invalid_fields(violation: Violation, names: tuple[str, ...]) -> list[str]:
    match violation:
        case Violation.INVALID_INPUT:
            return [f"input.{name}" for name in names[:MAX_INVALID_FIELDS]] or ["input"]
        case Violation.INVALID_ENVELOPE:
            return list(names)
        case Violation.UNEXPECTED_PREVIOUS_OBSERVATION:
            return ["previous_observation"]
        case Violation.OUT_OF_ORDER_PREVIOUS_OBSERVATION:
            return ["previous_observation.tool_call_id"]
        case _:
            return []
