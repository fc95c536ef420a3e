"""A run over stores in memory that is held at one place, and ways to start and to cancel it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from graph import Settings, build_graph
from graph.sessions import run_config
from tests.wiring.stepwise import QUESTION, GatedLogs, HeldAt, stepwise_models
from tools import SqliteInvocationStore

THREAD: Any = {"configurable": {"thread_id": "session-1"}}
GIVEN = {"messages": [("user", QUESTION)]}
PATIENCE_SECONDS = 60


class Held(HeldAt):
    """Holds a run until `release`; `passed` has every place where a model or tool was asked."""

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.passed: list[str] = []
        self.holding = True

    async def __call__(self, place: str) -> None:
        self.passed.append(place)
        if self.holding:
            await super().__call__(place)


class Bench:
    """A graph over stores in memory, and where its run is held."""

    def __init__(self, place: str, saver: Any) -> None:
        self.gate = Held(place)
        self.store = SqliteInvocationStore(":memory:")
        self.graph: Any = build_graph(
            models=stepwise_models(self.gate),
            tools=[GatedLogs(self.gate)],
            invocations=self.store,
            settings=Settings(),
            checkpointer=saver,
        )

    async def cancel(self, run: "asyncio.Task[Any]", *, times: int = 1) -> None:
        """Cancels it where it is held."""
        await self.gate.reached.wait()
        for _ in range(times):
            run.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(run, PATIENCE_SECONDS)
        self.gate.holding = False

    async def state(self) -> dict[str, Any]:
        return (await self.graph.aget_state(THREAD)).values  # type: ignore[no-any-return]


async def read(stream: AsyncIterator[Any]) -> None:
    async for _ in stream:
        pass


def started(bench: Bench, way: str) -> "asyncio.Task[Any]":
    graph, config = bench.graph, THREAD
    match way:
        case "ainvoke":
            return asyncio.create_task(graph.ainvoke(GIVEN, config))
        case "ainvoke, exit":
            return asyncio.create_task(graph.ainvoke(GIVEN, config, durability="exit"))
        case "ainvoke, own run id":
            return asyncio.create_task(graph.ainvoke(GIVEN, run_config("session-1")))
        case "astream":
            return asyncio.create_task(read(graph.astream(GIVEN, config, stream_mode="custom")))
        case _:
            events = graph.astream_events(GIVEN, config, version="v2")
            return asyncio.create_task(read(events))
