"""A run that was cut off before its first node: the next question ends it, too (C1.6)."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph

from graph.sessions import find_run, run_config, unfinished_run
from tests.wiring.held_runs import GIVEN, THREAD, Bench
from tests.wiring.stepwise import QUESTION
from tests.wiring.stepwise_sessions import SESSION, assert_whole, opened, watch

AGAIN: Any = {"messages": [("user", "And at 10:06?")]}


class CutAtInput(InMemorySaver):
    """Stores the question, and then nothing until it is `whole`."""

    whole = False

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, *args: Any) -> Any:
        if not self.whole and metadata["step"] >= 0:
            raise ConnectionError
        return await super().aput(config, checkpoint, metadata, *args)


@pytest.fixture
def saver() -> CutAtInput:
    return CutAtInput()


@pytest_asyncio.fixture
async def bench(saver: CutAtInput) -> AsyncIterator[Bench]:
    made = Bench("nowhere", saver)
    yield made
    await made.store.aclose()


async def unbegun(graph: Any, config: Any, given: Any = GIVEN) -> None:
    """LangGraph's own stream, which ends nothing, left before the first node."""
    steps = CompiledStateGraph.astream(
        graph, given, config, interrupt_before=["begin"], durability="sync"
    )
    async for _ in steps:
        pass


def kinds(state: Any) -> list[str]:
    return [message.type for message in state["messages"]]


@pytest.mark.usefixtures("any_sessions")
async def test_its_question_is_answered_before_the_next_one(tmp_path: Path) -> None:
    async with opened(tmp_path) as graph:
        await watch(graph, QUESTION, run_config(SESSION))
        cut = run_config(SESSION)
        await unbegun(graph, cut)
    async with opened(tmp_path) as graph:
        config = run_config(SESSION)
        await watch(graph, "And at 10:06?", config)
        state = (await graph.aget_state(config)).values
        assert kinds(state) == ["human", "ai"] * 3
        assert state["messages"][3].id == cut["configurable"]["run_id"]
        assert state["release"]["outcome"] == "SUCCESS"
        assert state["release"]["run_id"] == config["configurable"]["run_id"]
        closed = await find_run(graph, cut["configurable"]["run_id"])
        assert closed.finished
        assert_whole(closed.trace)
        assert closed.trace[-1]["outcome"] == "CANCELLED"
        assert await unfinished_run(graph, SESSION) is None


async def test_a_question_that_was_only_stored_is_answered_too(
    bench: Bench, saver: CutAtInput
) -> None:
    with pytest.raises(ConnectionError):
        await unbegun(bench.graph, run_config("session-1"))
    assert [saved.metadata["source"] async for saved in saver.alist(THREAD)] == ["input"]
    saver.whole = True
    await bench.graph.ainvoke(AGAIN, THREAD)
    state = await bench.state()
    assert kinds(state) == ["human", "ai", "human", "ai"]
    assert bench.gate.passed.count("router") == 1


async def test_the_same_run_tried_again_goes_on_and_so_does_a_resumed_one(
    bench: Bench, saver: CutAtInput
) -> None:
    saver.whole = True
    config = run_config("session-1")
    for given in (None, {"messages": [("user", QUESTION)]}):
        await unbegun(bench.graph, config)
        state = await bench.graph.ainvoke(given, config)
        assert state["release"]["outcome"] == "SUCCESS"
        config = run_config("session-1")


async def test_history_that_a_host_wrote_is_left_as_it_is(bench: Bench, saver: CutAtInput) -> None:
    saver.whole = True
    past = {"messages": [("user", "an older question"), ("ai", "an answer"), ("user", "thanks")]}
    await bench.graph.aupdate_state(run_config("session-1"), past, as_node="__start__")
    await bench.graph.ainvoke(GIVEN, THREAD)
    assert kinds(await bench.state()) == ["human", "ai", "human", "human", "ai"]


async def test_a_question_from_an_earlier_checkpoint_closes_nothing(
    bench: Bench, saver: CutAtInput
) -> None:
    saver.whole = True
    await unbegun(bench.graph, run_config("session-1"))
    before = (await bench.graph.aget_state(THREAD)).config
    await bench.graph.ainvoke(AGAIN, before)
    assert kinds(await bench.state()) == ["human", "human", "ai"]


async def test_a_cancel_meanwhile_leaves_the_session_usable(
    bench: Bench, saver: CutAtInput
) -> None:
    saver.whole = True
    await unbegun(bench.graph, run_config("session-1"))
    for turns in (0, 1, 2, 4, 8, 16):
        run = asyncio.create_task(bench.graph.ainvoke(AGAIN, THREAD))
        for _ in range(turns):
            await asyncio.sleep(0)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
    await bench.graph.ainvoke(AGAIN, THREAD)
    state = await bench.state()
    assert state["release"]["outcome"] == "SUCCESS"
    assert kinds(state) == ["human", "ai"] * (len(state["messages"]) // 2)
