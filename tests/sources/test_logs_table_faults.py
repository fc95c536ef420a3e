"""A SQL log table that cannot be read, is slow, or would write: failures by name."""

import sqlite3
import time
from pathlib import Path

import pytest

from tests.sources.log_table import COLUMNS, ask
from tests.stores.postgres_server import PostgresServer
from tools.evidence import ToolFailure
from tools.logs import LogColumns, LogTableTool


# four different things: empty, truncated, failed, and a failure that may be tried again
@pytest.mark.parametrize("fault", ["missing", "no table", "no column", "damaged", "no server"])
async def test_a_table_that_cannot_be_read_is_a_failure_without_its_address(
    tmp_path: Path, fault: str
) -> None:
    path = tmp_path / "canary.db"
    url = f"sqlite:///{path}"
    if fault == "no column":
        sqlite3.connect(path).execute("CREATE TABLE app_logs (id INTEGER)").connection.close()
    if fault == "no table":
        sqlite3.connect(path).execute("CREATE TABLE other (id INTEGER)").connection.close()
    if fault == "damaged":
        path.write_bytes(b"no database" * 1000)
    if fault == "no server":
        url = "postgresql://u:canary@127.0.0.1:9/logs"
    tool = LogTableTool(url, COLUMNS)
    with pytest.raises(ToolFailure) as failure:
        await ask(tool, service="a")
    assert (failure.value.code, failure.value.retryable) == ("LOG_SOURCE_UNAVAILABLE", True)
    assert "canary" not in f"{failure.value!r} {tool.description}"
    assert "Not available now: LOG_SOURCE_UNAVAILABLE." in tool.description
    assert path.exists() == (fault not in ("missing", "no server"))


async def test_a_slow_table_is_cut_off_by_the_database(tmp_path: Path) -> None:
    path = tmp_path / "logs.db"
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE VIEW app_logs AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT i AS at, 'INFO' AS severity, 'a' AS svc, 'x' AS msg FROM n"
    )
    connection.close()
    started = time.monotonic()
    with pytest.raises(ToolFailure, match="LOG_TIMEOUT"):
        await ask(LogTableTool(f"sqlite:///{path}", COLUMNS, max_seconds=0.3), service="a")
    assert time.monotonic() - started < 60


async def test_a_slow_server_is_cut_off_and_nothing_can_be_written(
    postgres_server: PostgresServer,
) -> None:
    import psycopg

    url = postgres_server.new_database()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE written (x int)")
        connection.execute(
            "CREATE FUNCTION slow() RETURNS text LANGUAGE sql AS 'SELECT pg_sleep(60)::text'"
        )
        connection.execute(
            "CREATE FUNCTION writes() RETURNS text LANGUAGE sql AS "
            "'INSERT INTO written VALUES (1) RETURNING ''a'''"
        )
        for name, body in (("sleeper", "slow()"), ("writer", "writes()")):
            connection.execute(
                f"CREATE VIEW {name} AS SELECT now() AS at, 'INFO' AS severity, "  # type: ignore[arg-type]
                f"{body} AS svc, 'x' AS msg"
            )
    for table, code in (("sleeper", "LOG_TIMEOUT"), ("writer", "LOG_SOURCE_UNAVAILABLE")):
        columns = LogColumns(table, "at", "severity", "svc", "msg")
        with pytest.raises(ToolFailure, match=code):
            await ask(LogTableTool(url, columns, max_seconds=0.5), service="a")
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT count(*) FROM written").fetchone() == (0,)
