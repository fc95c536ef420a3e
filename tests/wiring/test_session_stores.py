"""What every session store promises: whole histories, one run a session, faults by name."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest
from langgraph.checkpoint.base import empty_checkpoint

from graph import Settings
from graph.sessions import run_config, unfinished_run
from graph.stores.faults import SessionBusy, SessionStoreUnavailable
from graph.stores.sessions import SessionStore, open_sessions
from tests.stores.postgres_server import PostgresServer
from tests.wiring.command_process import ROOT, Command
from tests.wiring.stepwise import QUESTION
from tests.wiring.stepwise_sessions import SESSION, opened, watch


@pytest.fixture
def command(tmp_path: Path):
    program = Command(tmp_path)
    yield program
    program.end()


@pytest.mark.usefixtures("any_sessions")
async def test_the_history_of_a_thread_is_whole_at_every_checkpoint(tmp_path: Path) -> None:
    # C1.2: what grows is stored as deltas, and any checkpoint rebuilds it
    async with opened(tmp_path) as graph:
        for _ in range(2):
            await watch(graph, QUESTION, run_config(SESSION))
        history = [past async for past in graph.aget_state_history(run_config(SESSION))]
    traces = [[event["seq"] for event in past.values.get("trace", [])] for past in history]
    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in traces)
    lengths = [len(numbers) for numbers in reversed(traces)]
    starts = [at for at, length in enumerate(lengths) if length == 1]
    assert len(starts) == 2
    second = lengths[starts[1] :]
    assert lengths[starts[0] :][: len(second)] == second == sorted(second)


@pytest.mark.usefixtures("any_sessions")
async def test_a_session_is_held_once_and_free_again(tmp_path: Path) -> None:
    # C0
    settings = Settings(data_dir=tmp_path)
    async with open_sessions(settings) as one, open_sessions(settings) as other:
        async with one.hold("s"):
            for holder in (one, other):
                with pytest.raises(SessionBusy) as refused:
                    async with holder.hold("s"):
                        pass
                assert refused.value.code == "SESSION_BUSY"
            async with other.hold("another"):
                pass
        async with other.hold("s"):
            pass


HOLDER = """
import asyncio, pathlib, sys
from graph import Settings
from graph.stores.sessions import open_sessions

async def hold():
    settings = Settings(data_dir=pathlib.Path(sys.argv[1]))
    async with open_sessions(settings) as sessions, sessions.hold("s"):
        print("held", flush=True)
        await asyncio.Event().wait()

asyncio.run(hold())
"""


@pytest.mark.usefixtures("any_sessions")
async def test_a_session_is_free_again_when_its_holder_dies(tmp_path: Path) -> None:
    # C0: killed without a word, the lock is gone with the process
    program = [sys.executable, "-c", HOLDER, str(tmp_path)]
    holder = await asyncio.create_subprocess_exec(*program, cwd=ROOT, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"held\n"
    async with open_sessions(Settings(data_dir=tmp_path)) as sessions:
        with pytest.raises(SessionBusy):
            async with sessions.hold("s"):
                pass
        holder.kill()
        await holder.wait()
        await _held_soon(sessions)


async def _held_soon(sessions: SessionStore) -> None:
    """The server learns of the death by itself, a moment later."""
    for _ in range(1_000):
        try:
            async with sessions.hold("s"):
                return
        except SessionBusy:
            await asyncio.sleep(0.02)
    raise AssertionError("never free again")


@pytest.mark.usefixtures("any_sessions")
async def test_many_processes_may_open_new_sessions_at_once(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)

    async def first_use() -> int:
        async with open_sessions(settings) as sessions:
            return len(await sessions.session_ids())

    assert await asyncio.gather(*(first_use() for _ in range(8))) == [0] * 8


async def test_a_server_that_goes_away_is_named_without_its_words(
    postgres_server: PostgresServer, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STORES__SESSIONS__URL", postgres_url)

    async def lose_the_server() -> None:
        async with open_sessions(Settings()) as sessions, sessions.hold("s"):
            postgres_server.stop()
            try:
                await sessions.session_ids()
            finally:
                postgres_server.start()

    with pytest.raises(SessionStoreUnavailable) as refused:
        await lose_the_server()
    assert str(refused.value) == (
        "stores.sessions.url: its session store cannot be read or written"
        " (SESSION_STORE_UNAVAILABLE)"
    )


@pytest.mark.parametrize("restarted", [True, False], ids=["server restarts", "connection is cut"])
async def test_a_run_that_loses_the_server_ends_by_name_and_goes_on_later(
    tmp_path: Path,
    postgres_server: PostgresServer,
    postgres_url: str,
    monkeypatch: pytest.MonkeyPatch,
    restarted: bool,
) -> None:
    # C1.2
    monkeypatch.setenv("STORES__SESSIONS__URL", postgres_url)
    config = run_config(SESSION)

    async def lose_the_connection(place: str) -> None:
        if place == "agent 2" and restarted:
            postgres_server.stop()
            postgres_server.start()
        elif place == "agent 2":
            await cut_all_connections(postgres_url)

    with pytest.raises(SessionStoreUnavailable):
        await run_held(tmp_path, config, lose_the_connection)
    passed: list[str] = []

    async def note(place: str) -> None:
        passed.append(place)

    assert await unfinished(tmp_path) == config
    await run_held(tmp_path, config, note, question=None)
    assert passed == ["agent 2", "tool waits", "agent 3", "guard"]
    async with opened(tmp_path) as graph:
        state = (await graph.aget_state(config)).values
    assert state["release"]["outcome"] == "SUCCESS"
    assert [event["seq"] for event in state["trace"]] == list(range(1, len(state["trace"]) + 1))


async def test_who_loses_the_lock_cannot_write_any_more(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # C0: lock and writes share a connection, so that two runs never write to one session
    monkeypatch.setenv("STORES__SESSIONS__URL", postgres_url)
    place: Any = {"configurable": {"thread_id": "s", "checkpoint_ns": ""}}

    async def write_after_the_lock_has_gone() -> None:
        async with open_sessions(Settings()) as first, first.hold("s"):
            await first.saver.aput(place, empty_checkpoint(), {}, {})
            await cut_all_connections(postgres_url)
            async with open_sessions(Settings()) as second, second.hold("s"):
                await first.saver.aput(place, empty_checkpoint(), {}, {})

    with pytest.raises(SessionStoreUnavailable):
        await write_after_the_lock_has_gone()
    async with open_sessions(Settings()) as sessions:
        assert len([saved async for saved in sessions.saver.alist(place)]) == 1


async def cut_all_connections(url: str) -> None:
    async with await psycopg.AsyncConnection.connect(url) as admin:
        await admin.execute(CUT_ALL_OTHERS)


CUT_ALL_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


async def run_held(folder: Path, config: Any, gate: Any, question: str | None = QUESTION) -> None:
    async with opened(folder, gate) as graph:
        await watch(graph, question, config)


async def unfinished(folder: Path) -> Any:
    async with opened(folder) as graph:
        return await unfinished_run(graph, SESSION)


@pytest.mark.usefixtures("any_sessions")
def test_two_questions_to_one_session_at_once(command: Command) -> None:
    # C0: one runs, the other is refused by name and leaves no mark on the run
    where = {name: url for name, url in os.environ.items() if name.startswith("STORES__")}
    first = command.start(QUESTION, "--session", "s", stepwise=True, HOLD_AT="agent 2", **where)
    command.wait_for("agent 2", first)
    code, out, err = command.run("And at 10:06?", "--session", "s", stepwise=True, **where)
    assert (code, out) == (2, "")
    assert "SESSION_BUSY" in err
    code, _, err = command.run("And there?", "--session", "t", stepwise=True, **where)
    assert code == 0, err
    first.kill()
    first.communicate()
    code, out, err = command.run("--resume", "--session", "s", stepwise=True, **where)
    assert code == 0, err
    run_id = next(word for word in err.split() if word.count("-") == 4)
    _, out, _ = command.run("trace", run_id, "--json", **where)
    trace = json.loads(out)
    assert [event["seq"] for event in trace] == list(range(1, len(trace) + 1))
    kinds = [event["type"] for event in trace]
    assert kinds.count("RUN_STARTED") == kinds.count("RUN_RESUMED") == 1
    assert trace[-1]["outcome"] == "SUCCESS"
