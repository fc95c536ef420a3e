"""`tool`: runs the admitted call at the boundary and turns what came back into a progress event."""

from graph.contract.budget import observation_bytes_left, seconds_left
from graph.contract.progress import Event, fold
from graph.contract.vocabulary import InformationGain, Judge
from graph.nodes.answers import Answers
from graph.nodes.calls import last_calls, read_call
from graph.nodes.frame import NodeBody
from graph.nodes.journal import Journal
from graph.parts import Parts
from graph.state import DialogueCall, State, TurnChange, Update, Verdict, run_key
from tools.boundary import Invocation, Outcome
from tools.evidence import EvidenceStatus
from tools.invocations import InvocationRecord, InvocationStatus
from tools.observation import FailureView, Observation, result_view


def tool_node(parts: Parts) -> NodeBody:
    """One tool call. An empty result may saturate the run: its observation then waits for
    STOP_REQUIRED (C3)."""

    async def tool(state: State, journal: Journal) -> Update:
        calls = last_calls(state["dialogue"])
        call = calls[state["turn"]["call"]]
        invocation = _invocation(parts, state, journal, call)
        outcome = await parts.boundary.invoke(invocation)
        answers = Answers(parts, journal)
        _account(journal, answers, call, outcome)
        event = progress_event(call, invocation.prepared.scope_key, outcome.record)
        after = fold(state["progress"], [event])
        if event["kind"] == "TOOL_EMPTY":
            _note_empty(journal, call, after["consecutive_no_gain"], after["collection_state"])
        view = _view(call, outcome.record, _max_bytes(state, journal))
        verdict: Verdict
        if after["stop_reason"] and not state["progress"]["stop_reason"]:
            verdict, held = "STOP", view.model_dump(exclude_none=True)
        else:
            answers.write(call, view)
            last = state["turn"]["call"] + 1 >= len(calls)
            verdict, held = ("ALL_ANSWERED" if last else "NEXT_CALL"), None
        turn: TurnChange = {
            "call": state["turn"]["call"] + 1,
            "closed": after["pending"] is not None,
            "held": held,
            "verdict": verdict,
        }
        return {"progress": [event], "dialogue": answers.messages, "turn": turn}

    return tool


def progress_event(call: DialogueCall, key: str, record: InvocationRecord) -> Event:
    """What the record means for progress: found, empty, or a technical failure (C3). `key` is the
    scope's own: the scope in the record is masked."""
    if record["status"] != InvocationStatus.READY:
        return {"kind": "TOOL_FAILED", "scope_key": key, "invocation_key": record["key"]}
    if record["evidence_status"] == EvidenceStatus.NO_EVIDENCE:
        return {
            "kind": "TOOL_EMPTY",
            "tool_call_id": call["id"],
            "scope_key": key,
            "invocation_key": record["key"],
        }
    return {
        "kind": "TOOL_READY",
        "tool_call_id": call["id"],
        "tool": record["tool"],
        "scope_key": key,
        "invocation_key": record["key"],
    }


def _invocation(parts: Parts, state: State, journal: Journal, call: DialogueCall) -> Invocation:
    limits = state["progress"]["limits"]
    left_seconds = seconds_left(journal.usage, limits)
    prepared = read_call(parts, call).prepared
    assert prepared is not None, "the gate admits prepared requests only"
    return Invocation(
        run_id=state["run"]["run_id"],
        run_key=run_key(state["run"]),
        tool_call_id=call["id"],
        tool=parts.tools[call["name"]],
        prepared=prepared,
        timeout_seconds=min(limits["tool_timeout_seconds"], left_seconds),
        max_bytes=_max_bytes(state, journal),
        left_seconds=left_seconds,
    )


def _max_bytes(state: State, journal: Journal) -> int:
    return observation_bytes_left(journal.usage, state["progress"]["limits"])


def _account(journal: Journal, answers: Answers, call: DialogueCall, outcome: Outcome) -> None:
    journal.usage["tool_calls"] += 1
    if outcome.taken_over:
        journal.note("TOOL_TAKEN_OVER", tool_call_id=call["id"])
    answers.note_invocation(
        call, outcome.record, duration_ms=outcome.duration_ms, reused=outcome.reused
    )


def _note_empty(journal: Journal, call: DialogueCall, count: int, state: str) -> None:
    journal.note(
        "INFORMATION_GAIN",
        tool_call_id=call["id"],
        value=InformationGain.NO_GAIN,
        by=Judge.HARNESS,
        consecutive_no_gain=count,
        collection_state=state,
    )


def _view(call: DialogueCall, record: InvocationRecord, max_bytes: int) -> Observation:
    if record["status"] == InvocationStatus.READY:
        return result_view({**record, "tool_call_id": call["id"]}, max_bytes=max_bytes)
    return FailureView(
        tool_call_id=call["id"],
        error_code=record["error_code"] or "TOOL_FAILED",
        retryable=record["retryable"],
    )
