"""Runs in durable sessions: cancelled anywhere, resumed, closed by the next, found again.

Every test holds for the file in the data folder and for a PostgreSQL server.
"""

import asyncio
import sqlite3
import uuid
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from graph.sessions import cancel_run, find_run, run_config, unfinished_run
from tests.wiring.stepwise import PLACES, QUESTION, HeldAt
from tests.wiring.stepwise_sessions import SESSION, assert_closed, cut_off, opened, watch

pytestmark = pytest.mark.usefixtures("any_sessions")


@pytest.mark.parametrize("place", PLACES)
async def test_a_cancelled_run_ends_in_one_release(tmp_path: Path, place: str) -> None:
    # C6, C7: cancelled, the verified facts so far attached
    gate = HeldAt(place)
    async with opened(tmp_path, gate) as graph:
        config = run_config(SESSION)
        await cut_off(graph, config, gate)
        state = await cancel_run(graph, config)
        assert_closed(state, config["configurable"]["run_id"])
        known = max(0, PLACES.index(place) - 1) // 2
        assert len(state["release"]["observed_facts"]) == known
        assert await unfinished_run(graph, SESSION) is None


@pytest.mark.parametrize("updates", range(1, 12))
async def test_a_stream_left_between_two_nodes_ends_in_one_release(
    tmp_path: Path, updates: int
) -> None:
    async with opened(tmp_path) as graph:
        config = run_config(SESSION)
        await watch(graph, QUESTION, config, updates=updates)
        state = await cancel_run(graph, config)
        run_id = config["configurable"]["run_id"]
        if state["release"]["outcome"] == "SUCCESS":
            assert updates >= 10
        else:
            assert_closed(state, run_id)
        run = await find_run(graph, run_id)
        assert run is not None
        assert run.finished
        assert run.trace == state["trace"]


async def test_a_run_that_was_only_handed_in_ends_in_one_release(tmp_path: Path) -> None:
    async with opened(tmp_path) as graph:
        config = run_config(SESSION)
        given = {"messages": [("user", QUESTION)]}
        await graph.ainvoke(given, config, interrupt_before=["begin"], durability="sync")
        state = await cancel_run(graph, config)
        assert_closed(state, config["configurable"]["run_id"])


@pytest.mark.parametrize("ended_by", ["cancel", "resume"])
async def test_a_release_that_was_written_but_not_yet_checkpointed_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ended_by: str
) -> None:
    # a new question would drop such a step and close the run as CANCELLED (C1.6)
    reached = asyncio.Event()

    async def held_put(saver: Any, config: Any, checkpoint: Any, *rest: Any) -> Any:
        if checkpoint["channel_values"].get("release"):
            reached.set()
            await asyncio.Event().wait()
        return await put(saver, config, checkpoint, *rest)

    gate = HeldAt("none of them")
    gate.reached = reached
    async with opened(tmp_path, gate) as graph:
        config = run_config(SESSION)
        put = type(graph.checkpointer).aput
        monkeypatch.setattr(type(graph.checkpointer), "aput", held_put)
        await cut_off(graph, config, gate)
        monkeypatch.setattr(type(graph.checkpointer), "aput", put)
        assert await unfinished_run(graph, SESSION) == config
        if ended_by == "cancel":
            await cancel_run(graph, config)
        else:
            await watch(graph, None, config)
        assert await unfinished_run(graph, SESSION) is None
        await watch(graph, "And at 10:06 UTC?", run_config(SESSION))
        state = (await graph.aget_state(config)).values
        assert state["run"]["closed_run"] is None
        run = await find_run(graph, config["configurable"]["run_id"])
        assert run is not None
        assert run.trace[-1]["outcome"] == "SUCCESS"


async def test_a_session_goes_on_after_a_cancelled_run(tmp_path: Path) -> None:
    # C1.3, C1.6: nothing is closed a second time, and the next run starts at zero
    gate = HeldAt("tool waits")
    async with opened(tmp_path, gate) as graph:
        config = run_config(SESSION)
        await cut_off(graph, config, gate)
        await cancel_run(graph, config)
    async with opened(tmp_path) as graph:
        config = run_config(SESSION)
        await watch(graph, "And why at 10:06 UTC?", config)
        state = (await graph.aget_state(config)).values
        assert state["release"]["outcome"] == "SUCCESS"
        assert state["run"]["closed_run"] is None
        assert state["usage"]["tool_calls"] == 2
        assert [message.type for message in state["messages"]] == ["human", "ai", "human", "ai"]


async def test_nothing_is_cancelled_that_never_began(tmp_path: Path) -> None:
    async with opened(tmp_path) as graph:
        assert await cancel_run(graph, run_config(SESSION)) is None
        await watch(graph, QUESTION, run_config(SESSION))
        assert await cancel_run(graph, run_config(SESSION)) is None


async def test_a_released_run_stays_as_it_is(tmp_path: Path) -> None:
    async with opened(tmp_path) as graph:
        config = run_config(SESSION)
        await watch(graph, QUESTION, config)
        before = (await graph.aget_state(config)).values
        assert await cancel_run(graph, config) == before
        assert before["release"]["outcome"] == "SUCCESS"


@pytest.mark.parametrize("place", PLACES)
async def test_an_unfinished_run_goes_on_with_the_counters_it_had(
    tmp_path: Path, place: str
) -> None:
    # C1.2, C7.2: the task is gone; a fresh graph takes the run up, and counts the model call that
    # was cut off, which this process knows of: it was sent, and nobody knows what it cost
    cut_off_calls = 0 if place.startswith("tool") else 1
    gate = HeldAt(place)
    async with opened(tmp_path, gate) as graph:
        config = run_config(SESSION)
        await cut_off(graph, config, gate)
        before = (await graph.aget_state(config)).values
    async with opened(tmp_path) as graph:
        resumed = await unfinished_run(graph, SESSION)
        assert resumed == config
        if place.startswith("tool"):
            await expire_leases(tmp_path)
        await watch(graph, None, resumed)
        state = (await graph.aget_state(resumed)).values
        assert state["release"]["outcome"] == "SUCCESS"
        assert state["release"]["run_id"] == config["configurable"]["run_id"]
        assert state["trace"][: len(before["trace"])] == before["trace"]
        assert state["usage"]["model_calls"] == 5 + cut_off_calls
        assert state["usage"]["usage_unavailable"] == cut_off_calls
        assert "RUN_RESUMED" in {event["type"] for event in state["trace"]}


async def expire_leases(folder: Path) -> None:
    """What a dead process held, as if its time had passed."""
    with closing(sqlite3.connect(folder / "records.sqlite")) as records, records:
        records.execute("UPDATE invocations SET record = json_set(record, '$.lease_expires_at', 0)")


async def test_a_run_closed_by_the_next_question_shows_its_whole_trace(tmp_path: Path) -> None:
    # C1.6, C7: seq without gaps over both parts
    gate = HeldAt("agent 2")
    async with opened(tmp_path, gate) as graph:
        first = run_config(SESSION)
        await cut_off(graph, first, gate)
        run = await find_run(graph, first["configurable"]["run_id"])
        assert run is not None
        assert not run.finished
    async with opened(tmp_path) as graph:
        for question in ("And at 10:06 UTC?", "And at 10:07 UTC?"):
            await watch(graph, question, run_config(SESSION))
        run = await find_run(graph, first["configurable"]["run_id"])
        assert run is not None
        assert run.finished
        assert run.session_id == SESSION
        assert [event["seq"] for event in run.trace] == list(range(1, len(run.trace) + 1))
        assert run.trace[-1]["type"] == "RUN_FINISHED"
        assert run.trace[-1]["outcome"] == "CANCELLED"


async def test_a_run_is_found_by_its_id_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as graph:
        configs = [run_config(session) for session in ("a", "b", "a")]
        for config in configs:
            await watch(graph, QUESTION, config)
    async with opened(tmp_path) as graph:
        for config in configs:
            run = await find_run(graph, config["configurable"]["run_id"])
            assert run is not None
            assert run.session_id == config["configurable"]["thread_id"]
            assert run.trace[0]["run_id"] == config["configurable"]["run_id"]
        assert await find_run(graph, str(uuid.uuid4())) is None
