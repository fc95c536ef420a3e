"""Runs the compiled graph on loose models and keeps everything that left it."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.memory import InMemorySaver

from graph import Models, Settings, build_graph
from tests.fakes.loose_model import LooseModel
from tests.fakes.replies import judged, routed, said
from tests.fakes.sources import KeywordSource
from tools import EvidenceTool
from tools.invocations.sqlite import SqliteInvocationStore

QUESTION = "Why did switching the company fail at 10:00 UTC?"


@dataclass
class Bench:
    """Models, sources and settings of one thread; `run` may be called again and again."""

    agent: Sequence[Any] = ()
    router: Sequence[Any] = ()
    repair: Sequence[Any] = ()
    guard: Sequence[Any] = ()
    tools: list[EvidenceTool[Any]] = field(default_factory=lambda: [KeywordSource()])
    harness: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    store: Any = None
    events: list[dict[str, Any]] = field(default_factory=list)
    updates: list[Any] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.models = {
            "agent": LooseModel(moves=list(self.agent), last=said("I have nothing to add.")),
            "router": LooseModel(moves=list(self.router), last=routed()),
            "evidence_repair": LooseModel(moves=list(self.repair), last=said("no")),
            "semantic_guard": LooseModel(moves=list(self.guard), last=judged()),
        }
        self.store = self.store or SqliteInvocationStore(":memory:")
        self.saver = InMemorySaver()
        self.graph = build_graph(
            models=Models(**self.models),
            tools=self.tools,
            invocations=self.store,
            settings=Settings(harness=self.harness, **self.settings),
            checkpointer=self.saver,
        )

    @property
    def requests(self) -> list[list[BaseMessage]]:
        """Every request to the agent's model."""
        return self.models["agent"].requests

    @property
    def reported(self) -> list[tuple[int, int] | None]:
        """What every model call of every component reported; None where it reported nothing."""
        return [usage for model in self.models.values() for usage in model.reported]

    async def run(self, question: Any = QUESTION, **config: Any) -> dict[str, Any]:
        """One question (None resumes) on the thread; the state with `dialogue` and the like."""
        given = None if question is None else {"messages": [("user", question)]}
        return await self.run_input(given, **config)

    async def run_input(self, given: Any, **config: Any) -> dict[str, Any]:
        """Any input on the thread."""
        thread = {"configurable": {"thread_id": "thread-1", **config.pop("configurable", {})}}
        modes = ["custom", "updates", "values"]
        async for mode, chunk in self.graph.astream(given, {**thread, **config}, stream_mode=modes):
            {"custom": self.events, "updates": self.updates, "values": self.values}[mode].append(
                chunk
            )
        return (await self.graph.aget_state(thread)).values

    async def checkpoints(self) -> list[Any]:
        """The values and metadata of every checkpoint of the thread, the latest first."""
        thread = {"configurable": {"thread_id": "thread-1"}}
        return [(s.values, s.metadata) async for s in self.graph.aget_state_history(thread)]


def play(bench: Bench, question: Any = QUESTION, **config: Any) -> dict[str, Any]:
    """One run in a loop of its own; the store is closed afterwards."""

    async def whole() -> dict[str, Any]:
        try:
            return await bench.run(question, **config)
        finally:
            await bench.store.aclose()

    return asyncio.run(whole())


def observations(state: dict[str, Any]) -> list[dict[str, Any]]:
    """The decoded observations of a run, in order."""
    return [json.loads(m["content"]) for m in state["dialogue"] if m["kind"] == "tool"]


def trace_types(state: dict[str, Any]) -> list[str]:
    """The types of the run's trace events."""
    return [event["type"] for event in state["trace"]]
