"""A session server that stops answering, its connections open: bounded, named, gone on later."""

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from graph import Settings
from graph.sessions import run_config
from graph.stores.faults import SessionStoreUnavailable
from graph.stores.sessions import open_sessions
from tests.wiring.command_process import Command
from tests.wiring.stepwise import PLACES, QUESTION
from tests.wiring.stepwise_sessions import SESSION, opened, watch

PATIENCE_SECONDS = 60
OTHERS = """
SELECT pid FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@contextmanager
def stopped(url: str) -> Iterator[None]:
    """Every server process of the database's connections stands still until the end."""
    with psycopg.connect(url) as admin:
        backends = [row[0] for row in admin.execute(OTHERS).fetchall()]
    assert backends
    for backend in backends:
        os.kill(backend, signal.SIGSTOP)
    try:
        yield
    finally:
        for backend in backends:
            os.kill(backend, signal.SIGCONT)


@pytest.fixture
def hurried(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Sessions in PostgreSQL whose server is given up soon."""
    monkeypatch.setenv("STORES__SESSIONS__URL", postgres_url)
    monkeypatch.setattr("graph.stores.postgres_connection.ANSWER_SECONDS", 0.5)
    return postgres_url


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Command]:
    program = Command(tmp_path)
    yield program
    program.end()


@asynccontextmanager
async def in_time() -> AsyncIterator[None]:
    async with asyncio.timeout(PATIENCE_SECONDS):
        yield


@pytest.mark.parametrize("place", PLACES)
async def test_a_run_whose_server_stops_ends_by_name_and_goes_on_later(
    tmp_path: Path, hurried: str, place: str
) -> None:
    # C1.2: no checkpoint is lost that was written, no query runs twice
    passed: list[str] = []
    config = run_config(SESSION)

    async def stop(reached: str) -> None:
        passed.append(reached)
        if reached == place and passed.count(place) == 1:
            server.__enter__()

    server = stopped(hurried)
    try:
        with pytest.raises(SessionStoreUnavailable) as refused:
            async with in_time(), opened(tmp_path, stop) as graph:
                await watch(graph, QUESTION, config)
    finally:
        server.__exit__(None, None, None)
    assert refused.value.code == "SESSION_STORE_UNAVAILABLE"
    async with opened(tmp_path, stop) as graph:
        await watch(graph, None, config)
        state = (await graph.aget_state(config)).values
    assert state["release"]["outcome"] == "SUCCESS"
    assert [event["seq"] for event in state["trace"]] == list(range(1, len(state["trace"]) + 1))


async def test_a_run_that_is_cancelled_while_its_server_stands_still_lets_go(
    tmp_path: Path, hurried: str
) -> None:
    reached = asyncio.Event()

    async def gate(place: str) -> None:
        if place == "agent 2":
            reached.set()
            await asyncio.Event().wait()

    async def cancelled() -> None:
        async with in_time(), opened(tmp_path, gate) as graph:
            run = asyncio.create_task(watch(graph, QUESTION, run_config(SESSION)))
            await reached.wait()
            with stopped(hurried):
                run.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await run
            await graph.aget_state(run_config(SESSION))

    with pytest.raises(SessionStoreUnavailable):
        await cancelled()


@pytest.mark.parametrize("place", ["hold", "session_ids", "size_bytes"])
async def test_no_question_to_a_stopped_server_waits_for_ever(hurried: str, place: str) -> None:
    async def ask() -> Any:
        async with in_time(), open_sessions(Settings()) as sessions:
            with stopped(hurried):
                if place == "hold":
                    async with sessions.hold("s"):
                        return None
                return await getattr(sessions, place)()

    with pytest.raises(SessionStoreUnavailable):
        await ask()


def test_the_command_line_says_so_and_ends(command: Command, postgres_url: str) -> None:
    where = {"STORES__SESSIONS__URL": postgres_url, "ANSWER_SECONDS": "1"}
    process = command.start(QUESTION, "--session", "s", stepwise=True, WAIT_AT="agent 2", **where)
    command.wait_for("agent 2", process)
    with stopped(postgres_url):
        (command.folder / "GO").touch()
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 2
    assert (out, b"SESSION_STORE_UNAVAILABLE" in err) == (b"", True)
    assert b"127.0.0.1" not in err
    assert b"Traceback" not in err


async def test_a_server_that_accepts_and_never_answers_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        place = f"127.0.0.1:{silent.getsockname()[1]}"
        url = f"postgresql://team:canary@{place}/sessions?connect_timeout=2"
        monkeypatch.setenv("STORES__SESSIONS__URL", url)
        with pytest.raises(SessionStoreUnavailable) as refused:
            async with in_time(), open_sessions(Settings()):
                pass
    assert "canary" not in str(refused.value)
