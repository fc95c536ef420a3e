"""What holds once a statement runs: time, cancellation, a connection that cannot write."""

import asyncio
import hashlib
import sqlite3
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.sources.sql_database import failure, make_database, rows, run
from tools.databases.leash import Leash
from tools.evidence import ToolFailure
from tools.sql import SqlTool

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_database(tmp_path / "shop #1%.sqlite")


@pytest.fixture
def tool(path: Path) -> SqlTool:
    return SqlTool(f"sqlite:///{path}")


async def test_the_time_limit_holds(path: Path) -> None:
    tool = SqlTool(f"sqlite:///{path}", max_seconds=0.05)
    assert await failure(tool, ENDLESS) == ("SQL_TIMEOUT", False)
    crossed = "SELECT count(*) FROM wide a, wide b, wide c, wide d"
    assert await failure(tool, crossed) == ("SQL_TIMEOUT", False)
    assert (await run(tool, "SELECT * FROM wide a, wide b, wide c, wide d")).truncated


async def test_a_cancelled_query_stops_working(path: Path) -> None:
    tool = SqlTool(f"sqlite:///{path}", max_seconds=300)
    task = asyncio.create_task(run(tool, ENDLESS))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    deadline = time.monotonic() + 60
    while any("asyncio" in thread.name and _busy(thread) for thread in threading.enumerate()):
        assert time.monotonic() < deadline, "the query runs on"
        await asyncio.sleep(0.02)


def _busy(thread: threading.Thread) -> bool:
    frame = sys._current_frames().get(thread.ident or 0)
    while frame is not None:
        if frame.f_code.co_name == "_answer":
            return True
        frame = frame.f_back
    return False


async def test_a_database_held_by_a_writer_is_busy(
    path: Path, tool: SqlTool, monkeypatch: Any
) -> None:
    monkeypatch.setattr("tools.databases.sqlite._BUSY_SECONDS", 0.05)
    writer = sqlite3.connect(path)
    writer.execute("BEGIN EXCLUSIVE")
    assert await failure(tool, "SELECT * FROM orders") == ("DATABASE_BUSY", True)
    writer.close()
    assert len(await rows(tool, "SELECT * FROM orders")) == 3


async def test_full_text_tables_can_be_read(tool: SqlTool) -> None:
    assert await rows(tool, "SELECT body FROM notes WHERE notes MATCH 'exhausted'") == [
        {"body": "pool exhausted"}
    ]


WRITES = [
    *(
        "DELETE FROM orders",
        "DROP VIEW broken",
        "CREATE TEMP TABLE t (a)",
        "PRAGMA user_version = 7",
    ),
    *(
        "PRAGMA journal_mode = WAL",
        "ATTACH 'other.sqlite' AS other",
        "VACUUM",
        "REINDEX",
        "ANALYZE",
    ),
    *(
        "INSERT INTO notes VALUES ('x')",
        "BEGIN IMMEDIATE",
        "SAVEPOINT s",
        "SELECT regexp('a', 'b')",
    ),
    "SELECT load_extension('x')",
]


@pytest.mark.parametrize("sql", WRITES)
def test_the_connection_itself_refuses_what_the_rules_refuse(path: Path, sql: str) -> None:
    # the second wall: with the rules out of the way
    from tools.databases.sqlite import SqliteDatabase

    before = hashlib.sha256(path.read_bytes()).digest()
    with (
        pytest.raises(ToolFailure) as caught,
        SqliteDatabase(str(path)).reading(Leash(60)) as connection,
    ):
        connection.exec_driver_sql(sql)
    assert caught.value.code in ("SQL_NOT_ALLOWED", "SQL_INVALID")
    assert hashlib.sha256(path.read_bytes()).digest() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_the_file_is_open_for_reading_only(path: Path) -> None:
    # the innermost wall: with the authoriser and query_only out of the way too
    from tools.databases.sqlite import SqliteDatabase

    with SqliteDatabase(str(path)).reading(Leash(60)) as connection:
        driver = connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        driver.set_authorizer(None)
        driver.execute("PRAGMA query_only = 0")
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            driver.execute("DELETE FROM orders")
