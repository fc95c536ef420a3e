"""What only the SQLite store promises: a private file, bounded waits, errors without a payload."""

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from tests.stores.kinds import ready, record
from tools.invocations import StoreUnavailable
from tools.invocations.sqlite import SqliteInvocationStore


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_making_a_store_touches_nothing(tmp_path: Path) -> None:
    SqliteInvocationStore(tmp_path / "data" / "records.sqlite")
    assert not (tmp_path / "data").exists()


async def test_file_and_folder_are_private(tmp_path: Path) -> None:
    path = tmp_path / "data" / "records.sqlite"
    before = os.umask(0)
    try:
        store = SqliteInvocationStore(path)
        await store.find("k1")
    finally:
        os.umask(before)
    assert mode(path.parent) == 0o700
    assert {mode(file) for file in path.parent.iterdir()} == {0o600}
    await store.aclose()


async def test_a_folder_that_exists_keeps_its_permissions(tmp_path: Path) -> None:
    os.chmod(tmp_path, 0o755)
    store = SqliteInvocationStore(tmp_path / "records.sqlite")
    await store.find("k1")
    await store.aclose()
    assert mode(tmp_path) == 0o755


async def test_readers_and_writers_do_not_block_each_other(tmp_path: Path) -> None:
    path = tmp_path / "records.sqlite"
    store = SqliteInvocationStore(path)
    await store.find("k1")
    other = sqlite3.connect(path)
    assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert other.execute("SELECT version FROM store_schema").fetchall() == [(1,)]
    other.execute("BEGIN IMMEDIATE")
    assert await store.find("k1") is None
    other.close()
    await store.aclose()


async def test_a_lock_that_is_never_released_is_an_error_soon(tmp_path: Path) -> None:
    path = tmp_path / "records.sqlite"
    store = SqliteInvocationStore(path, max_seconds=0.4)
    await store.find("k1")
    other = sqlite3.connect(path)
    other.execute("BEGIN EXCLUSIVE")
    record = {"key": "k1", "tool": "query_logs", "owner": "o", "status": "STARTED"}
    with pytest.raises(StoreUnavailable) as caught:
        await store.begin(record, now=1.0)  # type: ignore[arg-type]
    assert str(caught.value) == "sqlite invocation store: begin failed"
    other.close()
    assert await store.find("k1") is None  # and it recovers
    await store.aclose()


@pytest.mark.parametrize("action", ["begin", "mark_ready", "mark_error", "find"])
async def test_failures_name_the_action_and_nothing_else(tmp_path: Path, action: str) -> None:
    canary = tmp_path / "canary-7f3a"
    canary.write_bytes(b"not a database, " * 100)
    for path in (canary, canary / "below" / "records.sqlite", tmp_path):
        store = SqliteInvocationStore(path)
        record = {"key": "k1", "tool": "query_logs", "owner": "o", "status": "STARTED"}
        argument = "k1" if action == "find" else record
        extra = {"now": 1.0} if action == "begin" else {}
        with pytest.raises(StoreUnavailable) as caught:
            await getattr(store, action)(argument, **extra)
        assert str(caught.value) == f"sqlite invocation store: {action} failed"
        assert caught.value.__suppress_context__
        await store.aclose()
    assert canary.read_bytes().startswith(b"not a database")


async def test_another_schema_version_is_refused_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "records.sqlite"
    store = SqliteInvocationStore(path)
    await store.find("k1")
    await store.aclose()
    newer = sqlite3.connect(path)
    newer.execute("UPDATE store_schema SET version = 2")
    newer.commit()
    newer.close()
    with pytest.raises(StoreUnavailable) as refused:
        await store.find("k1")
    assert refused.value.code == "INVOCATION_STORE_OTHER_SCHEMA"
    await store.aclose()


async def test_old_records_are_removed_and_live_claims_stay(tmp_path: Path) -> None:
    # C5.2: a claim counts until its lease ends, a result from when it came
    store = SqliteInvocationStore(tmp_path / "records.sqlite")
    await store.begin(record("done", lease_expires_at=100.0), now=70.0)
    await store.mark_ready(ready(key="done", lease_expires_at=100.0, finished_at=150.0))
    await store.begin(record("left", lease_expires_at=120.0), now=70.0)
    await store.begin(record("running", lease_expires_at=300.0), now=70.0)
    with closing(sqlite3.connect(tmp_path / "records.sqlite")) as other, other:
        other.execute("INSERT INTO invocations VALUES ('damaged', '{')")
    assert await store.prune(before=100.0) == 0
    assert await store.prune(before=140.0) == 1
    assert await store.find("left") is None
    assert await store.find("done") is not None
    assert await store.prune(before=200.0) == 1
    assert await store.find("done") is None
    assert await store.find("running") is not None
    await store.aclose()


@pytest.mark.parametrize("path", [":memory:", "records.sqlite"])
async def test_size_is_what_the_records_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    store = SqliteInvocationStore(path)
    empty = await store.size_bytes()
    for number in range(50):
        await store.begin(record(f"k{number}", scope={"keyword": "x" * 2_000}), now=70.0)
    full = await store.size_bytes()
    assert full - empty > 100_000
    assert await store.prune(before=1_000.0) == 50
    assert await store.size_bytes() == empty
    await store.aclose()


async def test_a_damaged_record_is_unavailable_not_absent(tmp_path: Path) -> None:
    path = tmp_path / "records.sqlite"
    store = SqliteInvocationStore(path)
    await store.find("k1")
    other = sqlite3.connect(path)
    other.execute("INSERT INTO invocations VALUES ('k1', '{')")
    other.commit()
    other.close()
    with pytest.raises(StoreUnavailable):
        await store.find("k1")
    await store.aclose()
