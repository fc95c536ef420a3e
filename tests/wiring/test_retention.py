"""Old sessions go as a whole, old records too; what is in use or young stays."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from graph import Settings
from graph.sessions import run_config, unfinished_run
from graph.stores.records import make_store
from graph.stores.retention import prune_records, prune_sessions
from graph.stores.sessions import SessionStore, open_sessions
from tests.stores.kinds import record
from tests.stores.redis_server import RedisServer
from tests.wiring.command_process import Command
from tests.wiring.stepwise import QUESTION, HeldAt
from tests.wiring.stepwise_sessions import cut_off, opened, watch


async def rows(store: SessionStore, session_id: str) -> int:
    """How many rows of any table still name the session."""
    saver: Any = store.saver
    postgres = "Postgres" in type(saver).__name__
    tables = ["checkpoints", "checkpoint_writes" if postgres else "writes"]
    tables += ["checkpoint_blobs"] if postgres else []
    sign, left = "%s" if postgres else "?", 0
    for table in tables:
        query = f"SELECT count(*) AS number FROM {table} WHERE thread_id = {sign}"
        cursor = await saver.conn.execute(query, (session_id,))
        row = await cursor.fetchone()
        left += row["number"] if postgres else row[0]
    return left


@pytest.mark.usefixtures("any_sessions")
async def test_old_sessions_go_whole_and_the_others_go_on(tmp_path: Path) -> None:
    gate = HeldAt("agent 2")
    async with opened(tmp_path) as graph:
        for session in ("old", "in use", "young"):
            await watch(graph, QUESTION, run_config(session))
    async with opened(tmp_path, gate) as graph:
        await cut_off(graph, run_config("old and unfinished"), gate)
    then = datetime.now(UTC)
    async with opened(tmp_path) as graph:
        await watch(graph, "And at 10:06?", run_config("young"))
    settings = Settings(data_dir=tmp_path)
    async with open_sessions(settings) as store, open_sessions(settings) as elsewhere:
        async with elsewhere.hold("in use"):
            assert await prune_sessions(store, then - timedelta(days=1)) == 0
            assert await prune_sessions(store, then) == 2
        assert await store.session_ids() == ["in use", "young"]
        assert await rows(store, "old") == await rows(store, "old and unfinished") == 0
        assert await rows(store, "young") > 0
    async with opened(tmp_path) as graph:
        assert await unfinished_run(graph, "old and unfinished") is None
        for session, messages in (("young", 6), ("in use", 4), ("old", 2)):
            await watch(graph, "And at 10:07?", run_config(session))
            state = (await graph.aget_state(run_config(session))).values
            assert state["release"]["outcome"] == "SUCCESS"
            assert len(state["messages"]) == messages


async def test_pruned_sessions_give_their_space_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as graph:
        for number in range(20):
            await watch(graph, QUESTION, run_config(f"session-{number}"))
    async with open_sessions(Settings(data_dir=tmp_path)) as store:
        before = await store.size_bytes()
        assert await prune_sessions(store, datetime.now(UTC)) == 20
        assert await store.size_bytes() < before / 4


async def test_records_in_redis_go_before_they_expire(
    records_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STORES__RECORDS__URL", records_redis.url)
    store, now = make_store(Settings()), datetime.now(UTC)
    old = (now - timedelta(days=31)).timestamp()
    await store.begin(record("an old one", lease_expires_at=old), now=old - 20)
    assert await prune_records(store, now - timedelta(days=32)) == 0
    assert await prune_records(store, now - timedelta(days=30)) == 1
    await store.aclose()


@pytest.mark.usefixtures("any_sessions")
def test_the_command_serves_servers_too(
    tmp_path: Path, records_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STORES__RECORDS__URL", records_redis.url)
    where = {name: url for name, url in os.environ.items() if name.startswith("STORES__")}
    code, out, err = Command(tmp_path).run("prune", "--older-than", "30d", **where)
    assert (code, err) == (0, "")
    assert [line.split()[1:3] for line in out.splitlines()] == [["0", "removed,"], ["0", "removed"]]


@pytest.mark.usefixtures("any_sessions")
def test_the_command_says_what_it_removed(tmp_path: Path) -> None:
    where = {name: url for name, url in os.environ.items() if name.startswith("STORES__")}
    command = Command(tmp_path)
    code, _, err = command.run(QUESTION, "--session", "s", stepwise=True, **where)
    assert code == 0, err
    code, out, err = command.run("prune", "--older-than", "1d", **where)
    assert (code, err) == (0, "")
    assert [line.split()[1:3] for line in out.splitlines()] == [["0", "removed,"], ["0", "removed"]]
    code, out, _ = command.run("prune", "--older-than=0h", **where)
    assert code == 0
    assert [line.split()[0:3] for line in out.splitlines()] == [
        ["sessions", "1", "removed,"],
        ["records", "0", "removed"],  # their leases are still running
    ]
    assert "canary" not in out


@pytest.mark.parametrize("age", ["30", "d", "-1d", "1w", "1d ", "999999d"])
def test_an_age_that_is_none_is_refused(tmp_path: Path, age: str) -> None:
    command = Command(tmp_path)
    code, out, err = command.run("prune", f"--older-than={age}")
    assert (code, out) == (2, "")
    assert "--older-than: " in err
