"""Channel versions in checkpoints: short for new threads, whatever a thread was begun with else."""

from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph.state import CompiledStateGraph

from graph.channel_versions import with_short_versions
from graph.compiled import DiagnosisGraph
from tests.fakes.bench import QUESTION, Bench, observations, trace_types
from tests.fakes.replies import PROVED, asks, call

RUN = [asks(call("c1", "pool")), PROVED]
THREAD: Any = {"configurable": {"thread_id": "thread-1"}}


def bench_on(saver: BaseCheckpointSaver[Any], agent: list[Any], **more: Any) -> Bench:
    bench = Bench(agent=agent, **more)
    bench.graph.checkpointer = saver
    return bench


async def kinds_of_versions(saver: AsyncSqliteSaver) -> set[type]:
    latest = await saver.aget_tuple(THREAD)
    assert latest is not None
    return {type(version) for version in latest.checkpoint["channel_versions"].values()}


async def test_the_versions_of_a_new_thread_are_numbers(tmp_path: Path) -> None:
    async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "sessions.sqlite")) as saver:
        bench = bench_on(saver, [*RUN, *RUN])
        first, second = await bench.run(), await bench.run("and why?")
        assert await kinds_of_versions(saver) == {int}
        assert trace_types(second) == trace_types(first)
        assert len(second["messages"]) == 4
        await bench.store.aclose()


async def test_a_run_begun_with_other_versions_goes_on_with_those(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # C1.2: the versions of a thread are compared with each other, so they stay of one kind
    path = str(tmp_path / "sessions.sqlite")
    async with AsyncSqliteSaver.from_conn_string(path) as saver:
        bench = bench_on(saver, RUN)
        question = {"messages": [("user", QUESTION)]}
        with monkeypatch.context() as patched:
            resolve = CompiledStateGraph._resolve_checkpointer
            patched.setattr(DiagnosisGraph, "_resolve_checkpointer", resolve)
            await bench.graph.ainvoke(question, THREAD, interrupt_after=["tool"])
        assert await kinds_of_versions(saver) == {str}
    async with AsyncSqliteSaver.from_conn_string(path) as saver:
        resumed = bench_on(saver, RUN[1:], store=bench.store)
        state = await resumed.run(None)
        assert "RUN_RESUMED" in trace_types(state)
        assert state["release"]["outcome"] == "SUCCESS"
        assert await kinds_of_versions(saver) == {str}
        await resumed.store.aclose()


async def test_two_branches_of_a_thread_do_not_mix(tmp_path: Path) -> None:
    # they carry the same numbers; each checkpoint holds its own values and names its own parent
    async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "sessions.sqlite")) as saver:
        bench = bench_on(saver, [*RUN, asks(call("c1", "slow")), PROVED])
        first = await bench.run()
        history = [one async for one in bench.graph.aget_state_history(THREAD)]
        routed = next(one for one in reversed(history) if one.next == ("model",))
        await bench.graph.ainvoke(None, routed.config)
        second = (await bench.graph.aget_state(THREAD)).values
        assert "pool exhausted" in str(observations(first))
        assert "slow query" in str(observations(second))
        assert "pool exhausted" not in str(observations(second))
        ends = [one async for one in bench.graph.aget_state_history(THREAD) if not one.next]
        assert [observations(one.values) for one in ends] == [
            observations(second),
            observations(first),
        ]
        await bench.store.aclose()


async def test_in_memory_and_on_the_dev_server_versions_are_short_and_unlike() -> None:
    # there blobs are keyed by version: two branches of a thread must not meet
    saver = InMemorySaver()
    bench = bench_on(saver, RUN)
    await bench.run()
    latest = await saver.aget_tuple(THREAD)
    assert latest is not None
    versions = set(latest.checkpoint["channel_versions"].values())
    assert all(isinstance(one, str) and len(one) < 10 for one in versions)
    one, other = (with_short_versions(saver).get_next_version("c100.aaaaa", None) for _ in range(2))
    assert one[:5] == other[:5] == "c101."
    assert one != other
    await bench.store.aclose()


def test_short_versions_sort_as_they_count() -> None:
    saver = with_short_versions(InMemorySaver())
    version, seen = None, []
    for _ in range(1_500):
        version = saver.get_next_version(version, None)
        seen.append(version)
    assert seen == sorted(seen)
    assert saver.get_next_version(f"{7:032}.0.5", None).startswith(f"{8:032}.")


def test_a_saver_of_another_kind_keeps_its_own_spelling() -> None:
    foreign: BaseCheckpointSaver[Any] = BaseCheckpointSaver()
    assert with_short_versions(foreign) is foreign
