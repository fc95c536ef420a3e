"""Stepwise runs in the sessions that the environment names, and ways to leave them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph.state import CompiledStateGraph

from graph import Settings, build_graph
from graph.compiled import DiagnosisGraph
from graph.stores.sessions import open_sessions
from tests.wiring.stepwise import QUESTION, GatedLogs, HeldAt, open_gate, stepwise_models
from tools import SqliteInvocationStore

SESSION = "session-1"


@asynccontextmanager
async def opened(folder: Path, gate: Any = open_gate) -> AsyncIterator[Any]:
    """A graph as a process of its own would open it over the same folder."""
    settings = Settings(data_dir=folder)
    store = SqliteInvocationStore(folder / "records.sqlite")
    async with open_sessions(settings) as sessions:
        yield build_graph(
            models=stepwise_models(gate),
            tools=[GatedLogs(gate)],
            invocations=store,
            settings=settings,
            checkpointer=sessions.saver,
        )
    await store.aclose()


async def watch(
    graph: Any,
    question: str | None,
    config: Any,
    *,
    updates: int = 10_000,
    astream: Any = DiagnosisGraph.astream,
) -> None:
    """The run's stream, left after so many node updates."""
    given = None if question is None else {"messages": [("user", question)]}
    stream = astream(graph, given, config, stream_mode="updates", durability="sync")
    async for _ in stream:
        updates -= 1
        if updates == 0:
            break
    await stream.aclose()


async def cut_off(graph: Any, config: Any, gate: HeldAt) -> None:
    """A run that breaks off while it is held and records nothing more: LangGraph's own stream
    does not end what is cancelled."""
    plain = CompiledStateGraph.astream
    run = asyncio.create_task(watch(graph, QUESTION, config, astream=plain))
    await gate.reached.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run


def assert_closed(state: Any, run_id: str) -> None:
    """One CANCELLED release, a whole trace, a whole dialogue."""
    assert state["release"]["outcome"] == "CANCELLED"
    assert state["release"]["run_id"] == state["run"]["run_id"] == run_id
    assert_whole(state["trace"])
    asked = [call["id"] for entry in state["dialogue"] for call in entry.get("tool_calls", [])]
    answered = [entry["tool_call_id"] for entry in state["dialogue"] if entry["kind"] == "tool"]
    assert sorted(asked) == sorted(answered)
    assert [message.type for message in state["messages"]] == ["human", "ai"]


def assert_whole(trace: Any) -> None:
    """Every event of a run that was never resumed, one end."""
    assert [event["seq"] for event in trace] == list(range(1, len(trace) + 1))
    types = [event["type"] for event in trace]
    assert types[-1] == "RUN_FINISHED"
    assert types.count("RUN_FINISHED") == 1
    assert "RUN_RESUMED" not in types
