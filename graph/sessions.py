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

from graph.audit.events import TraceEvent
from graph.build import DiagnosisGraph
from graph.cancellation import cancel_run as cancel_run
from graph.cancellation import has_steps_left, run_id_of
from prompts import Language


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
    run_id = run_id_of(snapshot.metadata)
    if run_id is None or not await has_steps_left(graph, snapshot):
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


async def _closing_events(graph: DiagnosisGraph, last: CheckpointTuple) -> Sequence[TraceEvent]:
    """What the next run of the session wrote when it closed the run that ends with `last`."""
    thread: RunnableConfig = {
        "configurable": {"thread_id": last.config["configurable"]["thread_id"]}
    }
    own = run_id_of(last.metadata)
    newest_first = [checkpoint async for checkpoint in _saver(graph).alist(thread)]
    later = takewhile(lambda one: run_id_of(one.metadata) != own, newest_first)
    newest_of_each = [
        next(group) for _, group in groupby(later, lambda one: run_id_of(one.metadata))
    ]
    if not newest_of_each:
        return []
    next_run = await graph.aget_state(_place(newest_of_each[-1]))
    closed = next_run.values["run"].get("closed_run")
    if closed is None or closed["release"]["run_id"] != own:
        return []
    return cast(Sequence[TraceEvent], closed["trace"])


def _place(checkpoint: CheckpointTuple) -> RunnableConfig:
    return {"configurable": dict(checkpoint.config["configurable"])}


def _saver(graph: DiagnosisGraph) -> BaseCheckpointSaver[Any]:
    assert isinstance(graph.checkpointer, BaseCheckpointSaver), "sessions need a checkpointer"
    return graph.checkpointer
