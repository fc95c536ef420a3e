"""Checkpoints say little of themselves; a thread that was begun with long versions keeps those."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph.state import CompiledStateGraph
from pydantic import SecretStr

from graph.compiled import DiagnosisGraph
from graph.short_checkpoints import with_short_checkpoints
from graph.stores.postgres_sessions import open_postgres_sessions
from tests.fakes.bench import QUESTION, Bench, observations, trace_types
from tests.fakes.replies import PROVED, asks, call

RUN = [asks(call("c1", "pool")), PROVED]
THREAD: Any = {"configurable": {"thread_id": "thread-1"}}


def following(get_next_version: Any, seen: str | None, *, steps: int) -> list[str]:
    """The versions of so many steps after `seen`."""
    versions = []
    for _ in range(steps):
        seen = get_next_version(seen, None)
        versions.append(seen)
    return versions


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


@asynccontextmanager
async def opened_saver(
    kind: str, folder: Path, request: pytest.FixtureRequest
) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """A saver of each kind that is kept short, empty."""
    if kind == "memory":
        yield InMemorySaver()
    elif kind == "sqlite":
        async with AsyncSqliteSaver.from_conn_string(str(folder / "sessions.sqlite")) as saver:
            yield saver
    else:
        url = SecretStr(request.getfixturevalue("postgres_url"))
        async with open_postgres_sessions(url) as sessions:
            yield sessions.saver


@pytest.mark.parametrize("kind", ["memory", "sqlite", "postgres"])
async def test_two_branches_of_a_thread_do_not_mix(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    # C1.2: each checkpoint has its own values, where blobs are keyed by version as well
    async with opened_saver(kind, tmp_path, request) as saver:
        bench = bench_on(saver, [*RUN, asks(call("c1", "slow")), PROVED])
        first = await bench.run()
        history = [one async for one in bench.graph.aget_state_history(THREAD)]
        routed = next(one for one in reversed(history) if one.next == ("model",))
        returned = await bench.graph.ainvoke(None, routed.config)
        second = (await bench.graph.aget_state(THREAD)).values
        assert "pool exhausted" in str(observations(first))
        assert "slow query" in str(observations(second))
        assert "pool exhausted" not in str(observations(second))
        ends = [one async for one in bench.graph.aget_state_history(THREAD) if not one.next]
        assert [observations(one.values) for one in ends] == [
            observations(second),
            observations(first),
        ]
        assert returned["release"] != first["release"]
        assert [one.values["release"] for one in ends] == [returned["release"], first["release"]]
        await bench.store.aclose()


async def test_langgraph_still_knows_that_single_checkpoints_must_stay(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    # it may prune a thread to its latest checkpoint only where that one holds everything
    async with opened_saver("postgres", tmp_path, request) as saver:
        bench = bench_on(saver, RUN)
        await bench.run()
        with pytest.raises(NotImplementedError, match="thread-1"):
            await saver.aprune(["thread-1"])
        await bench.store.aclose()


async def test_in_memory_and_on_the_dev_server_versions_are_short_and_unlike() -> None:
    # there blobs are keyed by version: two branches of a thread must not meet
    saver = InMemorySaver()
    bench = bench_on(saver, RUN)
    await bench.run()
    latest = await saver.aget_tuple(THREAD)
    assert latest is not None
    versions = set(latest.checkpoint["channel_versions"].values())
    assert all(isinstance(one, str) and len(one) < 8 for one in versions)
    await bench.store.aclose()


def test_invocations_that_go_on_from_one_checkpoint_never_name_the_same_version() -> None:
    saver = InMemorySaver()
    for seen in (None, "c100", "c100.aaaaa"):
        branches = [
            following(with_short_checkpoints(saver).get_next_version, seen, steps=100)
            for _ in range(10)
        ]
        assert len(set().union(*branches)) == 10 * 100
        assert all(seen is None or version > seen for branch in branches for version in branch)


def test_a_branch_never_falls_back_to_what_a_channel_had() -> None:
    # a fork stores channels anew, each after its own version: the other branch may do so, too
    get_next_version = with_short_checkpoints(InMemorySaver()).get_next_version
    first, second = get_next_version("c100", None), get_next_version("bzz", None)
    assert second > first


def test_short_versions_sort_as_they_count() -> None:
    saver = with_short_checkpoints(InMemorySaver())
    seen = following(saver.get_next_version, None, steps=1_500)
    assert seen == sorted(set(seen))
    seen = following(saver.get_next_version, "azz", steps=1_500)
    assert seen == sorted(set(seen))
    assert saver.get_next_version(f"{7:032}.0.5", None).startswith(f"{8:032}.")


async def test_a_checkpoint_holds_nothing_that_langgraph_does_without() -> None:
    bench = Bench(agent=RUN)
    await bench.run()
    stored = [one async for one in bench.saver.alist(THREAD)]
    assert not any("counters_since_delta_snapshot" in one.metadata for one in stored)
    assert not any("updated_channels" in one.checkpoint for one in stored)
    await bench.store.aclose()


async def test_what_a_server_says_of_itself_is_kept_once_a_run() -> None:
    # a tenth of all that the dev server keeps of a long run; its run and thread ids stay everywhere
    bench = Bench(agent=RUN)
    config = {
        "configurable": {"thread_id": "t", "langgraph_host": "self-hosted", "user": "u"},
        "metadata": {"langgraph_api_version": "0.16", "ticket": "T-7"},
    }
    await bench.graph.ainvoke({"messages": [("user", QUESTION)]}, config)
    stored = [one async for one in bench.saver.alist({"configurable": {"thread_id": "t"}})]
    assert len(stored) > 3
    for one in stored:
        assert (one.metadata["user"], one.metadata["ticket"]) == ("u", "T-7")
        told = {"langgraph_host", "langgraph_api_version"} & one.metadata.keys()
        assert len(told) == (2 if one.metadata["source"] == "input" else 0)
    await bench.store.aclose()


def test_a_saver_of_another_kind_keeps_its_own_spelling() -> None:
    foreign: BaseCheckpointSaver[Any] = BaseCheckpointSaver()
    assert with_short_checkpoints(foreign) is foreign
