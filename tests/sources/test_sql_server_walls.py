"""`query_mysql` on a real MariaDB and PostgreSQL: read-only three times over, bounded in time, and
every fault of a server by its name."""

import asyncio
import logging
import time
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import make_url

from tests.sources.sql_database import failure, rows, run
from tests.sources.sql_shops import READER, READER_PASSWORD, Shop
from tools.databases.leash import Leash
from tools.databases.opening import open_database
from tools.evidence import ToolFailure
from tools.sql import SqlTool

SLOW = "SELECT COUNT(*) FROM wide a, wide b, wide c WHERE a.c < b.c AND b.c < c.c"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
RUNNING = {
    "mysql": "SELECT COUNT(*) FROM information_schema.processlist"
    f" WHERE user = '{READER}' AND command = 'Query'",
    "postgresql": "SELECT COUNT(*) FROM pg_stat_activity"
    f" WHERE usename = '{READER}' AND state = 'active'",
}
WRITES = (
    "INSERT INTO wide VALUES (6000, 'x')",
    "UPDATE wide SET c = 'x'",
    "DELETE FROM wide",
    "CREATE TABLE made (a INT)",
    "DROP TABLE wide",
)
REFUSED = (
    *WRITES,
    "SELECT 1; DROP TABLE wide",
    "/*!50000 DROP TABLE wide */",
    "SELECT 1 /*! ; DELETE FROM wide */",
    "-- x\nDELETE FROM wide",
    "#x\nUPDATE wide SET c = 'x'",
    "WITH t AS (SELECT 1) DELETE FROM wide WHERE 1 IN (SELECT * FROM t)",
    "WITH t AS (DELETE FROM wide RETURNING id) SELECT * FROM t",
    "SELECT * INTO made FROM wide",
    "SELECT * FROM wide INTO OUTFILE '/tmp/x'",
    "COPY wide TO '/tmp/x'",
    "COPY wide FROM PROGRAM 'id'",
    "SELECT LOAD_FILE('/etc/passwd')",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT SLEEP(30)",
    "SELECT pg_sleep(30)",
    "SELECT BENCHMARK(1000000000, SHA2('x', 512))",
    "SELECT GET_LOCK('a', 100)",
    "SELECT pg_advisory_lock(1)",
    "SELECT nextval('numbers')",
    "SELECT pg_terminate_backend(1)",
    "SELECT set_config('transaction_read_only', 'off', false)",
    "SELECT * FROM wide FOR UPDATE",
    "CALL sells()",
    "SELECT sells()",
    "DO $$ BEGIN DELETE FROM wide; END $$",
    "SET GLOBAL max_connections = 1",
    "SET SESSION TRANSACTION READ WRITE",
    "HANDLER wide OPEN",
    "LOCK TABLES wide WRITE",
    "LOCK TABLE wide",
    "EXPLAIN ANALYZE DELETE FROM wide",
    "PREPARE s FROM 'DROP TABLE wide'",
    "LISTEN x",
    "NOTIFY x",
    "VACUUM",
    "BEGIN",
    "COMMIT",
    "SELECT * FROM mysql.user",
    "SELECT * FROM pg_authid",
    "SELECT * FROM pg_catalog.pg_authid",
    "SELECT * FROM other.orders",
    "ＳＥＬＥＣＴ 1",
    "SELECT 1 -- \x00 nul\n; DROP TABLE wide",
)
ANSWERED = (
    "SELECT 1",
    "SELECT COUNT(*) FROM orders WHERE note = 'drop table x; delete from y'",
    "WITH t AS (SELECT 1 AS a) SELECT * FROM t",
    "EXPLAIN SELECT * FROM orders",
    "SELECT COUNT(*) FROM wide WHERE c LIKE 'row 1%'",
    "SELECT table_name FROM information_schema.tables",
)
ENGINE_ONLY = {
    "mysql": ("SHOW TABLES", "DESCRIBE orders", "SELECT `select` FROM `order`"),
    "postgresql": ('SELECT "select" FROM "order"', "SELECT 'a' || 'b'"),
}


@pytest.fixture
def tool(shop: Shop) -> SqlTool:
    return SqlTool(shop.url, max_seconds=10.0)


async def size_of(shop: Shop) -> Any:
    return await rows(SqlTool(shop.url), "SELECT COUNT(*), MIN(c), MAX(c) FROM wide")


async def test_what_is_no_plain_reading_never_runs(shop: Shop) -> None:
    # with every right, so that only the parsed rules and the session stand in the way
    tool, before = SqlTool(shop.admin_url, max_seconds=10.0), await size_of(shop)
    for sql in REFUSED:
        code, _ = await failure(tool, sql)
        assert code in ("SQL_NOT_ALLOWED", "SQL_INVALID", "SQL_UNKNOWN_NAME"), sql
    assert await size_of(shop) == before


async def test_plain_reading_is_answered(shop: Shop, tool: SqlTool) -> None:
    for sql in (*ANSWERED, *ENGINE_ONLY[shop.backend]):
        assert await rows(tool, sql), sql


@pytest.mark.parametrize("sql", WRITES)
async def test_the_session_cannot_write_whoever_the_account_is(shop: Shop, sql: str) -> None:
    before = await size_of(shop)
    with (
        pytest.raises(ToolFailure, match=r"^SQL_NOT_ALLOWED$"),
        open_database(shop.admin_url).reading(Leash(10.0)) as connection,
    ):
        connection.exec_driver_sql(sql)
    assert await size_of(shop) == before


async def test_the_documented_account_cannot_write_in_any_session(shop: Shop) -> None:
    for sql in WRITES:
        with pytest.raises(PermissionError):
            shop.as_reader(sql)
    assert shop.as_reader("SELECT COUNT(*) FROM wide")


async def test_the_server_ends_a_query_at_the_time_limit(shop: Shop) -> None:
    for sql in (SLOW, ENDLESS):
        assert await failure(SqlTool(shop.url, max_seconds=0.5), sql) == ("SQL_TIMEOUT", False)
        await still(shop)


async def test_a_query_that_nobody_waits_for_ends(shop: Shop) -> None:
    # PostgreSQL sees that its client is gone, MariaDB goes on until the limit that it was given
    seconds = {"mysql": 2.0, "postgresql": 60.0}[shop.backend]
    asked = asyncio.create_task(run(SqlTool(shop.url, max_seconds=seconds), SLOW))
    await until(shop, 1)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    await still(shop)


async def still(shop: Shop) -> None:
    await until(shop, 0)


async def until(shop: Shop, running: int) -> None:
    give_up = time.monotonic() + 20.0
    while int(shop.admin(RUNNING[shop.backend])[0][0]) != running:
        assert time.monotonic() < give_up
        await asyncio.sleep(0.05)


@pytest.fixture
def frozen(shop: Shop) -> Iterator[Shop]:
    """A server that accepts connections and answers nobody."""
    shop.server.freeze()
    try:
        yield shop
    finally:
        shop.server.thaw()


async def test_a_server_that_does_not_answer_is_waited_for_no_longer(frozen: Shop) -> None:
    code, _ = await failure(SqlTool(frozen.url, max_seconds=1.0), "SELECT 1")
    assert code in ("SQL_TIMEOUT", "DATABASE_UNAVAILABLE")
    assert "not readable at the moment" in SqlTool(frozen.url).description


async def test_faults_have_names(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    where = make_url(shop.admin_url)
    option = "ssl_ca" if shop.backend == "mysql" else "sslrootcert"
    wrong_tls = {option: "/nowhere/ca.pem"}
    if shop.backend == "postgresql":
        wrong_tls["sslmode"] = "verify-full"
    cases = [
        (where.set(password="canary-wrong"), ("DATABASE_ACCESS_DENIED", False)),
        (where.set(username="canary-nobody"), ("DATABASE_ACCESS_DENIED", False)),
        (where.set(database="canary_none"), ("DATABASE_UNKNOWN", False)),
        (where.set(port=9), ("DATABASE_UNAVAILABLE", True)),
        (where.set(host="canary.invalid"), ("DATABASE_UNAVAILABLE", True)),
        (where.set(query=wrong_tls), ("DATABASE_MISCONFIGURED", False)),
        (where.set(query={"canary_option": "1"}), ("DATABASE_MISCONFIGURED", False)),
    ]
    for url, expected in cases:
        address = url.render_as_string(hide_password=False)
        assert await failure(SqlTool(address), "SELECT 1") == expected, url
    assert "canary" not in caplog.text


async def test_a_query_that_the_account_may_not_see_is_refused(shop: Shop, tool: SqlTool) -> None:
    assert await failure(tool, "SELECT secret FROM other.orders") == ("SQL_NOT_ALLOWED", False)


async def test_a_lock_of_another_is_not_waited_for_long(shop: Shop) -> None:
    sql = {
        "mysql": "LOCK TABLES wide WRITE",
        "postgresql": "LOCK TABLE wide IN ACCESS EXCLUSIVE MODE",
    }[shop.backend]
    with shop.holding(sql):
        assert await failure(SqlTool(shop.url), "SELECT 1 FROM wide") == ("DATABASE_BUSY", True)


def test_nothing_shows_the_password(shop: Shop) -> None:
    tool = SqlTool(shop.url)
    assert READER_PASSWORD not in f"{tool!r} {tool.description} {vars(open_database(shop.url))}"
