"""What every session store promises: whole histories, one run a session, faults by name."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from graph import Settings
from graph.sessions import run_config
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
