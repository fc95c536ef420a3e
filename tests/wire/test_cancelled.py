"""Cancelled on the wire: every call that was sent is counted, once, and none is sent after."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import suppress
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, HumanMessage
from langchain_core.outputs import ChatGenerationChunk
from pydantic import PrivateAttr

from graph.nodes.model_call import _streamed
from tests.fakes.bench import QUESTION
from tests.wire.provider import Provider
from tests.wire.runs import THREAD, Opened, Played, measured, opened
from tests.wiring.whole_runs import every_call_answered_once

PATIENCE_SECONDS = 60
HANG = {"fault": "hang"}
STALL = {"draft": "proved", "usage": [100, 40], "usage_at": "every", "fault": "stall"}

RUNS: dict[str, tuple[dict[str, Any], dict[str, list[Any]]]] = {
    "the agent's first call": (
        {"agent": [HANG]},
        {"ROUTER": [[10, 5]], "DIAGNOSIS_AGENT": [None]},
    ),
    "the router's call": ({"router": [HANG]}, {"ROUTER": [None]}),
    "the second attempt": (
        {"agent": [{"status": 503}, HANG]},
        {"ROUTER": [[10, 5]], "DIAGNOSIS_AGENT": [None, None]},
    ),
    "a stream whose usage grew": (
        {"agent": [{"ask": ["c1", "pool"]}, STALL]},
        {"ROUTER": [[10, 5]], "DIAGNOSIS_AGENT": [[10, 5], None]},
    ),
    "the guard, after a repair": (
        {
            "agent": [{"ask": ["c1", "pool"]}, {"draft": "invented"}],
            "evidence_repair": [{"draft": "proved", "usage": [70, 30]}],
            "semantic_guard": [HANG],
        },
        {
            "ROUTER": [[10, 5]],
            "DIAGNOSIS_AGENT": [[10, 5], [10, 5]],
            "EVIDENCE_REPAIR": [[70, 30]],
            "SEMANTIC_GUARD": [None],
        },
    ),
    "the repair": (
        {
            "agent": [{"ask": ["c1", "pool"]}, {"draft": "invented"}],
            "evidence_repair": [{"status": 500}, HANG],
        },
        {
            "ROUTER": [[10, 5]],
            "DIAGNOSIS_AGENT": [[10, 5], [10, 5]],
            "EVIDENCE_REPAIR": [None, None],
        },
    ),
}


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.nodes.model_call.RETRY_PAUSE_SECONDS", 0)


async def hung(session: Opened) -> None:
    """Returns when the provider has a request that it does not answer."""
    await asyncio.to_thread(session.conversation.hanging.wait)


async def cancelled(session: Opened, reached: Awaitable[Any]) -> dict[str, Any]:
    """The state after a run that is cancelled when it has reached a place."""
    run = asyncio.create_task(session.ask(QUESTION))
    await asyncio.wait_for(reached, PATIENCE_SECONDS)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(run, PATIENCE_SECONDS)
    return await session.state()


@pytest.mark.parametrize("place", RUNS)
async def test_every_call_that_was_sent_is_counted_once(place: str, provider: Provider) -> None:
    # C7.2, C7.3
    scenario, tokens = RUNS[place]
    async with opened(provider, scenario, wire="sse") as session:
        state = await cancelled(session, hung(session))
    found = measured(Played(state, session.conversation, []))
    assert found["ends"] == "CANCELLED"
    assert found["tokens"] == tokens
    unknown = sum(pair is None for pairs in tokens.values() for pair in pairs)
    known = sum(sum(pair) for pairs in tokens.values() for pair in pairs if pair)
    assert found["total"] == [known, unknown]
    assert len(session.conversation.requests) == state["usage"]["model_calls"]
    assert state["usage"]["usage_unavailable"] == unknown
    refused = [reply for replies in scenario.values() for reply in replies if "status" in reply]
    assert len(found["retries"]) == len(refused)
    trace = state["trace"]
    assert [event["seq"] for event in trace] == list(range(1, len(trace) + 1))
    assert trace[-1]["tokens_reconciled"] is False


class Deaf(BaseChatModel):
    """Streams on when it is cancelled, as a client does that the cancellation did not reach."""

    _asked: asyncio.Event = PrivateAttr(default_factory=asyncio.Event)
    _left: asyncio.Event = PrivateAttr(default_factory=asyncio.Event)

    @property
    def _llm_type(self) -> str:
        return "deaf"

    def _generate(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("it only streams")

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        try:
            while True:
                self._asked.set()
                with suppress(asyncio.CancelledError):
                    await asyncio.Event().wait()
                yield ChatGenerationChunk(message=AIMessageChunk("word "))
        finally:
            self._left.set()


async def test_a_client_that_a_cancellation_missed_reads_no_further() -> None:
    # C6: no token is spent after
    model = Deaf()
    asking = asyncio.create_task(_streamed(model, [HumanMessage("x")]))
    await asyncio.wait_for(model._asked.wait(), PATIENCE_SECONDS)
    asking.cancel()
    await asyncio.wait({asking}, timeout=PATIENCE_SECONDS)
    assert asking.cancelled()
    assert model._left.is_set()


async def test_a_pause_is_no_call(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    # C7.2: between two attempts nothing is on the way
    waiting = asyncio.Event()

    async def pause(seconds: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    monkeypatch.setattr("graph.nodes.model_call.pause", pause)
    async with opened(provider, {"agent": [{"status": 429}]}, wire="sse") as session:
        state = await cancelled(session, waiting.wait())
    found = measured(Played(state, session.conversation, []))
    assert found["tokens"] == {"ROUTER": [[10, 5]], "DIAGNOSIS_AGENT": [None]}
    assert found["retries"] == ["DIAGNOSIS_AGENT 1 MODEL_RATE_LIMITED"]


async def test_the_session_goes_on_with_a_clean_history(provider: Provider) -> None:
    # C1.3, C1.6: the provider refuses a call without its answer
    asked = {"calls": [{"id": "c1", "name": "query_logs", "arguments": {"input": {}}}] * 2}
    script = {
        "router": [{"draft": "diagnosis"}] * 2,
        "agent": [asked, HANG, {"ask": ["c1", "empty"]}, {"draft": "missing"}],
    }
    async with opened(provider, script, wire="sse") as session:
        state = await cancelled(session, hung(session))
        every_call_answered_once(state["dialogue"])
        played = await session.ask("And now?")
    assert measured(played)["ends"] == "FALLBACK INSUFFICIENT_EVIDENCE"
    assert measured(played)["total"] == [45, 0]
    assert session.conversation.violations == []


async def test_a_stream_that_is_left_and_taken_up_counts_both_calls(provider: Provider) -> None:
    # C7.2: nobody cancelled the run; what the first call cost is unknown, but it was made
    script = {"router": [HANG, {"draft": "diagnosis"}], "agent": [{"draft": "missing"}]}
    async with opened(provider, script, wire="sse") as session:
        asked = {"messages": [("user", QUESTION)]}
        stream = session.graph.astream(asked, THREAD, stream_mode="custom")
        async for event in stream:
            if event["event"] == "ROUTING":
                break
        await hung(session)
        await stream.aclose()
        assert (await session.state())["release"] is None
        await session.graph.ainvoke(None, THREAD)
        state = await session.state()
    found = measured(Played(state, session.conversation, []))
    assert found["ends"] == "FALLBACK MISSING_REQUIRED_CONTEXT"
    assert found["tokens"] == {"ROUTER": [None, [10, 5]], "DIAGNOSIS_AGENT": [[10, 5]]}
    assert len(session.conversation.requests) == state["usage"]["model_calls"] == 3
