"""A provider that keeps sending, a word at a time, has the run's time and no more (C8)."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk

from graph import Models, Settings, build_graph
from tests.wiring.stepwise import QUESTION, GatedLogs, open_gate, stepwise_models
from tools import SqliteInvocationStore


class Trickling(BaseChatModel):
    """Streams for ever."""

    @property
    def _llm_type(self) -> str:
        return "trickling"

    def bind_tools(self, tools: Any, **kwargs: Any) -> "Trickling":
        return self

    def _generate(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("it only streams")

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        while True:
            await asyncio.sleep(0.02)
            yield ChatGenerationChunk(message=AIMessageChunk("word "))


async def test_a_provider_that_trickles_ends_with_the_runs_time() -> None:
    # C8: the budget, not a fault of the model
    router = stepwise_models(open_gate).router
    store = SqliteInvocationStore(":memory:")
    graph = build_graph(
        models=Models(agent=Trickling(), router=router),
        tools=[GatedLogs(open_gate)],
        invocations=store,
        settings=Settings(harness={"budget": {"max_seconds": 0.5, "tool_timeout_seconds": 0.5}}),
    )
    asked: Any = {"messages": [("user", QUESTION)]}
    parts = graph.astream(asked, stream_mode=["messages", "values"])
    last: Any = None
    async with asyncio.timeout(60):
        async for mode, part in parts:
            last = part if mode == "values" else last
    assert last["release"]["stop_reason"] == "BUDGET_LIMIT_REACHED"
    assert last["usage"]["usage_unavailable"] == 1
    await store.aclose()
