"""Runs in their sessions: found by id in a later process, taken up again, closed when cancelled.

Works on any checkpointer: a run is known by the `run_id` it was configured with, which LangGraph
keeps in the metadata of every checkpoint of that run.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.types import StateSnapshot

from graph.audit.events import TraceEvent
from graph.build import DiagnosisGraph
from graph.contract.vocabulary import Rejection
from graph.state import DialogueMessage, State, Update
from prompts import Language
from tools.observation import RefusalView, observation_text

_STEPS_TO_CLOSE = 4
_STEPS_LEFT_BEFORE = _STEPS_TO_CLOSE + 2
"""What the step before `release` would have seen: the first step sees its limit and one more."""


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run as the sessions hold it; `trace` is all it recorded until it ended or broke off."""

    run_id: str
    session_id: str
    language: Language
    finished: bool
    trace: Sequence[TraceEvent]


def run_config(session_id: str, run_id: str | None = None) -> RunnableConfig:
    """The configuration of a run in a session; a new run id unless one is given."""
    return {"configurable": {"thread_id": session_id, "run_id": run_id or str(uuid.uuid4())}}


async def unfinished_run(graph: DiagnosisGraph, session_id: str) -> RunnableConfig | None:
    """The configuration that takes up the session's last run where it broke off, or None."""
    thread: RunnableConfig = {"configurable": {"thread_id": session_id}}
    await graph.refuse_other_schema(thread)
    snapshot = await graph.aget_state(thread)
    run_id = _run_id(snapshot.metadata)
    if run_id is None or not await _has_steps_left(graph, snapshot):
        return None
    return run_config(session_id, run_id)


async def find_run(graph: DiagnosisGraph, run_id: str) -> RecordedRun | None:
    """The run with everything its trace holds, the events of a later closing included (C1.6)."""
    # a saver that is asked while it lists may wait for itself: every listing is read to its end
    latest = [
        found async for found in _saver(graph).alist(None, filter={"run_id": run_id}, limit=1)
    ]
    if not latest:
        return None
    await graph.refuse_other_schema(_place(latest[0]))
    state = (await graph.aget_state(_place(latest[0]))).values
    run = state.get("run")
    if not run or run["run_id"] != run_id:
        return None
    closing = [] if run["released"] else await _closing_events(graph, latest[0])
    return RecordedRun(
        run_id=run_id,
        session_id=run["session_id"],
        language=run["language"],
        finished=run["released"] or bool(closing),
        trace=[*state["trace"], *closing],
    )


async def cancel_run(graph: DiagnosisGraph, config: RunnableConfig) -> State | None:
    """End the run of `config` as CANCELLED, by the graph's own `release`, after its invocation was
    cancelled. Returns the state then; the run's own where it was released before; None where
    the run had not begun, so that there is nothing to end."""
    configurable = config["configurable"]
    snapshot = await graph.aget_state(config)
    if _run_id(snapshot.metadata) != configurable["run_id"]:
        return None
    if not _has_begun(snapshot, configurable["run_id"]):
        await graph.ainvoke(None, config, interrupt_after=["begin"], durability="sync")
        snapshot = await graph.aget_state(config)
    state = cast(State, snapshot.values)
    if not state["run"]["released"]:
        await graph.aupdate_state(config, _cancelled(state), as_node="model")
    closing: RunnableConfig = {**config, "recursion_limit": _STEPS_TO_CLOSE}
    if await _has_steps_left(graph, await graph.aget_state(config)):
        await graph.ainvoke(None, closing, durability="sync")
    return cast(State, (await graph.aget_state(config)).values)


def _cancelled(state: State) -> dict[str, Any]:
    """Straight to release. The dialogue is left whole, and nothing here counts as a resume."""
    update: Update = {
        "dialogue": [_not_executed(call_id, name) for call_id, name in _unanswered(state)],
        "turn": {
            "verdict": "RELEASE",
            "ending": "CANCELLED",
            "failure_code": None,
            "held": None,
            "steps_left": _STEPS_LEFT_BEFORE,
        },
    }
    return dict(update)


def _unanswered(state: State) -> list[tuple[str, str]]:
    dialogue = state["dialogue"]
    answered = {entry["tool_call_id"] for entry in dialogue if entry["kind"] == "tool"}
    calls = (call for entry in dialogue for call in entry.get("tool_calls", []))
    return [(call["id"], call["name"]) for call in calls if call["id"] not in answered]


def _not_executed(call_id: str, name: str) -> DialogueMessage:
    view = RefusalView(tool_call_id=call_id, error_code=Rejection.NOT_EXECUTED)
    return DialogueMessage(
        kind="tool", tool_call_id=call_id, name=name, content=observation_text(view)
    )


async def _has_steps_left(graph: DiagnosisGraph, snapshot: StateSnapshot) -> bool:
    """Whether the checkpoint is not the run's last. A step that was written but not yet made a
    checkpoint counts as left: a new question would drop it."""
    recorded = await graph.aget_state(snapshot.config)
    return bool(recorded.next)


def _has_begun(snapshot: StateSnapshot, run_id: str) -> bool:
    run = snapshot.values.get("run")
    return run is not None and run.get("run_id") == run_id


async def _closing_events(graph: DiagnosisGraph, last: CheckpointTuple) -> Sequence[TraceEvent]:
    """What the next run of the session wrote when it closed the run that ends with `last`."""
    thread: RunnableConfig = {
        "configurable": {"thread_id": last.config["configurable"]["thread_id"]}
    }
    own = _run_id(last.metadata)
    newest_first = [checkpoint async for checkpoint in _saver(graph).alist(thread)]
    later = takewhile(lambda one: _run_id(one.metadata) != own, newest_first)
    newest_of_each = [next(group) for _, group in groupby(later, lambda one: _run_id(one.metadata))]
    if not newest_of_each:
        return []
    next_run = await graph.aget_state(_place(newest_of_each[-1]))
    closed = next_run.values["run"].get("closed_run")
    if closed is None or closed["release"]["run_id"] != own:
        return []
    return cast(Sequence[TraceEvent], closed["trace"])


def _place(checkpoint: CheckpointTuple) -> RunnableConfig:
    return {"configurable": dict(checkpoint.config["configurable"])}


def _run_id(metadata: Any) -> str | None:
    found = (metadata or {}).get("run_id")
    return str(found) if found else None


def _saver(graph: DiagnosisGraph) -> BaseCheckpointSaver[Any]:
    assert isinstance(graph.checkpointer, BaseCheckpointSaver), "sessions need a checkpointer"
    return graph.checkpointer
