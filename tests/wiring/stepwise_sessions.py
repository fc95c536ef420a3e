"""Stepwise runs in the sessions that the environment names, and ways to leave them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from graph import Settings, build_graph
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


async def watch(graph: Any, question: str | None, config: Any, *, updates: int = 10_000) -> None:
    """The run's stream, left after so many node updates."""
    given = None if question is None else {"messages": [("user", question)]}
    stream = graph.astream(given, config, stream_mode="updates", durability="sync")
    async for _ in stream:
        updates -= 1
        if updates == 0:
            break
    await stream.aclose()


async def cut_off(graph: Any, config: Any, gate: HeldAt) -> None:
    """A run that is cancelled while it is held."""
    run = asyncio.create_task(watch(graph, QUESTION, config))
    await gate.reached.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
