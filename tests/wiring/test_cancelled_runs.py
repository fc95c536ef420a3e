"""A cancelled invocation persists one CANCELLED release, and then is cancelled all the same."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph

from graph.sessions import run_config
from graph.state import InputState
from tests.wiring.held_runs import GIVEN, PATIENCE_SECONDS, THREAD, Bench, started
from tests.wiring.stepwise import PLACES
from tests.wiring.stepwise_sessions import assert_closed


@pytest.fixture
def saver() -> Any:
    return InMemorySaver()


@pytest_asyncio.fixture
async def bench(request: pytest.FixtureRequest, saver: Any) -> AsyncIterator[Bench]:
    made = Bench(getattr(request, "param", "tool waits"), saver)
    yield made
    await made.store.aclose()


async def read_slowly(stream: AsyncIterator[Any], reached: asyncio.Event) -> None:
    """A reader that is busy with what it has read when it is cancelled."""
    async for _ in stream:
        reached.set()
        await asyncio.Event().wait()


WAYS = ["ainvoke", "ainvoke, exit", "ainvoke, own run id", "astream", "astream_events"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("bench", PLACES, indirect=True)
async def test_a_cancelled_run_ends_in_one_release_wherever_it_was(bench: Bench, way: str) -> None:
    # C6, C7, C1.3: verified facts kept, nothing asked afterwards, the session goes on
    await bench.cancel(started(bench, way))
    state = await bench.state()
    assert_closed(state, state["run"]["run_id"])
    place = bench.gate.passed[-1]
    assert len(state["release"]["observed_facts"]) == max(0, PLACES.index(place) - 1) // 2
    asked = list(bench.gate.passed)
    assert (await bench.graph.ainvoke(None, THREAD))["release"] == state["release"]
    assert bench.gate.passed == asked
    again = await bench.graph.ainvoke(GIVEN, THREAD)
    assert again["release"]["outcome"] == "SUCCESS"
    after = await bench.state()
    assert after["run"]["closed_run"] is None
    assert [message.type for message in after["messages"]] == ["human", "ai", "human", "ai"]


async def test_the_tool_call_that_a_cancel_interrupted_is_traced_and_counted(bench: Bench) -> None:
    # C7.3: what reached a tool is accounted for, though its result is nobody's
    await bench.cancel(started(bench, "ainvoke"))
    state = await bench.state()
    ran = [event for event in state["trace"] if event["type"] == "TOOL_INVOCATION"]
    interrupted = ran[-1]
    assert interrupted["error_code"] == "TOOL_CANCELLED"
    assert interrupted["status"] == "ERROR"
    finished = state["trace"][-1]
    assert finished["tool_invocations"] == state["usage"]["tool_calls"] == len(ran)
    assert [event["seq"] for event in state["trace"]] == [*range(1, len(state["trace"]) + 1)]


@pytest.mark.parametrize("bench", ["router", "agent 1", "agent 3"], indirect=True)
async def test_the_model_call_that_a_cancel_interrupted_is_counted(bench: Bench) -> None:
    # C7.2, C7.3: it was sent, and nobody knows what it cost
    await bench.cancel(started(bench, "ainvoke"))
    state = await bench.state()
    place, asked = bench.gate.passed[-1], bench.gate.passed
    calls = [event for event in state["trace"] if event["type"] == "MODEL_TOKEN_USAGE"]
    component = "ROUTER" if place == "router" else "DIAGNOSIS_AGENT"
    rounds = sum(one.split()[0] == place.split()[0] for one in asked)
    last = calls[-1]
    assert (last["component"], last["component_round"], last["available"]) == (
        component,
        rounds,
        False,
    )
    models = [one for one in asked if not one.startswith("tool")]
    assert state["usage"]["model_calls"] == len(calls) == len(models)
    finished = state["trace"][-1]
    assert (finished["usage_unavailable"], finished["tokens_reconciled"]) == (1, False)
    assert finished["total_tokens"] == sum(e["input_tokens"] + e["output_tokens"] for e in calls)


async def test_a_run_that_is_cancelled_again_while_it_is_closed_ends_the_same(bench: Bench) -> None:
    await bench.cancel(started(bench, "ainvoke"), times=5)
    state = await bench.state()
    assert_closed(state, state["run"]["run_id"])


async def test_a_caller_that_runs_out_of_patience_is_told_so(bench: Bench) -> None:
    # the cancel of a timeout goes on to it
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await bench.graph.ainvoke(GIVEN, THREAD)
    state = await bench.state()
    assert_closed(state, state["run"]["run_id"])


async def test_a_reader_that_is_cancelled_between_two_parts_cancels_the_run(bench: Bench) -> None:
    # it leaves the stream without a word: the loop closes it
    reached = asyncio.Event()
    run = asyncio.create_task(read_slowly(bench.graph.astream(GIVEN, THREAD), reached))
    await reached.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    for _ in range(PATIENCE_SECONDS * 100):
        state = await bench.state()
        if state["release"]:
            break
        await asyncio.sleep(0.01)
    assert_closed(state, state["run"]["run_id"])


async def test_a_stream_that_is_left_is_not_cancelled(bench: Bench) -> None:
    # C1.2: it goes on where it was left
    bench.gate.holding = False
    stream = bench.graph.astream(GIVEN, THREAD, stream_mode="updates")
    async for part in stream:
        if "envelope_gate" in part:
            break
    await stream.aclose()
    assert (await bench.state())["release"] is None
    state = await bench.graph.ainvoke(None, THREAD)
    assert state["release"]["outcome"] == "SUCCESS"
    assert bench.gate.passed.count("router") == 1


@pytest.mark.parametrize("config", [THREAD, run_config("session-1")], ids=["thread", "other run"])
async def test_a_resumed_run_can_be_cancelled_too(bench: Bench, config: Any) -> None:
    # C1.2: under whatever run id the host resumes it
    stream = bench.graph.astream(GIVEN, run_config("session-1"), stream_mode="updates")
    async for part in stream:
        if "route" in part:
            break
    await stream.aclose()
    await bench.cancel(asyncio.create_task(bench.graph.ainvoke(None, config)))
    state = await bench.state()
    assert state["release"]["outcome"] == "CANCELLED"
    assert state["trace"][-1]["type"] == "RUN_FINISHED"
    assert bench.gate.passed.count("router") == 1
    assert await bench.graph.ainvoke(GIVEN, THREAD)
    assert (await bench.state())["run"]["closed_run"] is None


async def test_a_question_that_is_cancelled_at_once_leaves_the_session_usable(bench: Bench) -> None:
    for turns in range(12):
        run = started(bench, "ainvoke")
        for _ in range(turns):
            await asyncio.sleep(0)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        state = await bench.state()
        if state.get("run"):
            assert state["release"]["outcome"] == "CANCELLED"
            assert state["messages"][-1].type == "ai"
    bench.gate.holding = False
    assert (await bench.graph.ainvoke(GIVEN, THREAD))["release"]["outcome"] == "SUCCESS"


async def test_without_a_checkpointer_it_is_only_cancelled(tmp_path: Path) -> None:
    bench = Bench("tool waits", None)
    await bench.cancel(started(bench, "ainvoke"))
    assert bench.gate.passed[-1] == "tool waits"
    await bench.store.aclose()


async def test_without_a_session_it_is_refused_as_ever(bench: Bench) -> None:
    with pytest.raises(ValueError, match="thread_id"):
        await bench.graph.ainvoke(GIVEN)


async def test_a_session_bound_to_the_graph_is_closed_too(bench: Bench) -> None:
    bound = bench.graph.with_config(THREAD)
    await bench.cancel(asyncio.create_task(bound.ainvoke(GIVEN)))
    state = await bench.state()
    assert_closed(state, state["run"]["run_id"])


async def test_a_run_inside_another_graph_is_left_to_that_graph(bench: Bench) -> None:
    # its checkpoints are not ours to go on with; the outer thread stays resumable
    outer = StateGraph(InputState).add_node("diagnosis", bench.graph).add_edge(START, "diagnosis")
    whole = outer.compile(checkpointer=InMemorySaver())
    await bench.cancel(asyncio.create_task(whole.ainvoke(GIVEN, THREAD)))
    assert (await whole.aget_state(THREAD)).next == ("diagnosis",)
    await whole.ainvoke(None, THREAD)
    assert (await whole.aget_state(THREAD)).next == ()


class StuckSaver(InMemorySaver):
    """Stops writing once it is told to."""

    stuck = False

    async def aput(self, *args: Any, **fields: Any) -> Any:
        """As in the base, or never."""
        if self.stuck:
            await asyncio.Event().wait()
        return await super().aput(*args, **fields)


@pytest.mark.parametrize("saver", [StuckSaver()])
async def test_a_store_that_is_stuck_lets_the_caller_go(
    bench: Bench, saver: StuckSaver, monkeypatch: pytest.MonkeyPatch
) -> None:
    # C1.6: the next question closes what could not be written
    monkeypatch.setattr("graph.cancellation.CLOSING_SECONDS", 0.1)
    run = started(bench, "ainvoke")
    await bench.gate.reached.wait()
    saver.stuck = True
    await bench.cancel(run)
    saver.stuck = False
    assert not (await bench.state())["run"]["released"]
    await bench.graph.ainvoke(GIVEN, THREAD)
    state = await bench.state()
    assert state["release"]["outcome"] == "SUCCESS"
    assert state["run"]["closed_run"]["release"]["outcome"] == "CANCELLED"
    assert len(state["run"]["closed_run"]["release"]["observed_facts"]) == 1
