"""The end of a run's audit: the figures of RUN_FINISHED, and a run that was cut off (C1.6)."""

from langgraph.config import get_stream_writer

from graph.audit.tokens import count_events, tokens_reconciled
from graph.nodes.answers import Answers
from graph.nodes.calls import last_calls, read_call
from graph.nodes.journal import Journal
from graph.nodes.snapshot import read_snapshot
from graph.parts import Parts
from graph.state import ClosedRun, State, run_key
from release.pipeline import ReleaseCase, run_release
from release.released import Release
from tools.boundary import CANCELLED_CODE
from tools.invocations import InvocationStatus
from tools.scope import invocation_key


def note_finished(journal: Journal, release: Release) -> None:
    """The last event of a run (C7.3)."""
    usage = journal.usage
    journal.note(
        "RUN_FINISHED",
        outcome=release["outcome"],
        total_tokens=usage["total_tokens"],
        usage_unavailable=usage["usage_unavailable"],
        tokens_reconciled=tokens_reconciled(
            journal.trace,
            total_tokens=usage["total_tokens"],
            usage_unavailable=usage["usage_unavailable"],
        ),
        tool_invocations=usage["tool_calls"],
        rejected_requests=count_events(journal.trace, "TOOL_REQUEST_REJECTED"),
        stop_reason=release["stop_reason"],
    )


async def close_cut_off_run(parts: Parts, state: State) -> ClosedRun:
    """The CANCELLED release of the run in `state`, its verified facts attached, and the events
    that its trace still lacks."""
    run, journal = state["run"], Journal(state, get_stream_writer())
    await _note_interrupted(parts, state, journal)
    snapshot = await read_snapshot(parts, state)
    case = ReleaseCase(
        question="",
        language=run["language"],
        run_id=run["run_id"],
        session_id=run["session_id"],
        intent_out_of_scope=False,
        cancelled=True,
        failure_code=None,
        final_text=None,
        snapshot=snapshot,
        stop_reason=snapshot.stop_reason,
    )
    if snapshot.stop_reason:
        journal.note("COLLECTION_STOPPED", stop_reason=snapshot.stop_reason)
    release = await run_release(case, _ask_nobody, lambda kind, f: journal.note(kind, **f))
    note_finished(journal, release)
    return ClosedRun(release=release, trace=journal.new_events)


async def _note_interrupted(parts: Parts, state: State, journal: Journal) -> None:
    """The account of the tool call that the run broke off in, where a tool was reached: what its
    record says, and an unfinished one as cancelled. Its result is nobody's (C7.3)."""
    if state["turn"]["verdict"] != "ADMITTED":
        return
    call = last_calls(state["dialogue"])[state["turn"]["call"]]
    prepared = read_call(parts, call).prepared
    if prepared is None:
        return  # its tool is gone, or wants something else by now
    key = invocation_key(run_key(state["run"]), prepared.scope_key)
    record = (await parts.boundary.find([key]))[key]
    if record is None or record["tool_call_id"] != call["id"]:
        return
    if record["status"] == InvocationStatus.STARTED:
        record = {**record, "status": InvocationStatus.ERROR, "error_code": CANCELLED_CODE}
    journal.usage["tool_calls"] += 1
    Answers(parts, journal).note_invocation(call, record, duration_ms=0, reused=False)


async def _ask_nobody(component: str, messages: object) -> None:
    """A cancelled run asks no model."""
