"""Time inside a node counts at once; what the user pasted stays in view of the next run."""

import asyncio
import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel

from graph import Settings, build_graph
from graph.nodes import model_call
from graph.nodes.conversation import MAX_HISTORY_BYTES
from tests.fakes.scripted_model import ScriptedModel
from tools import SqliteInvocationStore
from tools.scope import canonical_text_fields

ROUTED = AIMessage('{"intent": "DIAGNOSIS"}')


class SlowAndDown(ScriptedModel):
    """Takes its time, then is unavailable."""

    async def _agenerate(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> ChatResult:
        if len(self.requests):
            await asyncio.sleep(0.2)
        return self._generate(messages)


class Unavailable(Exception):
    status_code = 503


async def test_retries_are_bounded_by_the_runs_time(monkeypatch: pytest.MonkeyPatch) -> None:
    # C8: max_seconds is checked before each attempt, within a node too
    monkeypatch.setattr(model_call, "RETRY_PAUSE_SECONDS", 0.2)
    model = SlowAndDown(replies=[ROUTED, Unavailable(), Unavailable(), Unavailable()])
    graph = build_graph(
        models=model,
        tools=[],
        invocations=SqliteInvocationStore(":memory:"),
        settings=Settings(harness={"budget": {"max_seconds": 0.3}}),
    )
    state = await graph.ainvoke({"messages": [HumanMessage("why did it fail")]})
    assert state["release"]["outcome"] == "FAILED"
    assert state["usage"]["model_calls"] < 4


async def test_a_long_question_is_shortened_for_the_next_run_not_dropped() -> None:
    # C1.3, C1.6: the second run sees the earlier public messages, bounded
    draft = json.dumps({"conclusion": None, "limitations": {"missing_info": ["company"]}})
    model = ScriptedModel(replies=[ROUTED, AIMessage(draft), ROUTED, AIMessage(draft)])
    graph = build_graph(
        models=model,
        tools=[],
        invocations=SqliteInvocationStore(":memory:"),
        checkpointer=InMemorySaver(),
    )
    config = {"configurable": {"thread_id": "t"}}
    pasted = "ENT_SWITCH_FAILED 栈" + "帧" * 4_000
    await graph.ainvoke({"messages": [HumanMessage(pasted)]}, config)
    await graph.ainvoke({"messages": [HumanMessage("company A")]}, config)
    _, earlier, answer, question = model.requests[-1]
    assert isinstance(earlier, HumanMessage)
    assert str(earlier.content).startswith("ENT_SWITCH_FAILED 栈帧")
    assert str(earlier.content).endswith("帧 …")
    assert isinstance(answer, AIMessage)
    assert str(question.content).startswith("company A")
    assert sum(len(str(m.content).encode()) for m in (earlier, answer)) <= MAX_HISTORY_BYTES


def test_sets_and_nested_times_have_one_spelling() -> None:
    # C5.3: the same query whatever the order of a set or the zone of a time, at any depth
    class Window(BaseModel):
        start: Any

    class Input(BaseModel):
        tags: frozenset[str]
        window: Window

    beijing = timezone(timedelta(hours=8))
    first = Input(
        tags=frozenset({"b", "a"}), window=Window(start=datetime(2026, 1, 1, 8, tzinfo=beijing))
    )
    second = Input(
        tags=frozenset({"a", "b"}), window=Window(start=datetime(2026, 1, 1, tzinfo=UTC))
    )
    assert canonical_text_fields(first) == canonical_text_fields(second)
    assert canonical_text_fields(first)["tags"] == ["a", "b"]
