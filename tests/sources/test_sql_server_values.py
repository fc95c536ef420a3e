"""`query_mysql` on a real MariaDB and PostgreSQL: values as stored, the schema in words."""

import json
from typing import Any

import pytest

from tests.sources.sql_database import failure, rows, run
from tests.sources.sql_shops import READER, Shop
from tools.sql import SqlTool


@pytest.fixture
def tool(shop: Shop) -> SqlTool:
    return SqlTool(shop.url)


async def only(tool: SqlTool, sql: str) -> dict[str, Any]:
    (row,) = await rows(tool, sql)
    return row


async def test_numbers_keep_every_digit(tool: SqlTool) -> None:
    largest = await only(tool, "SELECT MAX(order_id) AS id FROM orders")
    assert str(largest["id"]) == "18446744073709551615"
    found = await rows(tool, "SELECT 编号, 金额, 备注 FROM 订单 ORDER BY 编号")
    assert found == [
        {"编号": 1, "金额": "12345678901234567890.1234567890", "备注": "加急😀"},
        {"编号": 2, "金额": "0.1000000000", "备注": ""},
        {"编号": 3, "金额": "-0.0000000001", "备注": None},
    ]


async def test_null_empty_and_the_word_null_are_three(tool: SqlTool) -> None:
    found = await rows(tool, "SELECT note FROM orders ORDER BY order_id DESC")
    assert [row["note"] for row in found] == [None, "NULL", ""]


async def test_binary_values_are_sizes(tool: SqlTool) -> None:
    found = await rows(tool, "SELECT data FROM blobs ORDER BY id")
    assert [row["data"] for row in found] == ["[binary, 3 bytes]", "[binary, 0 bytes]", None]


async def test_awkward_names_are_quoted(tool: SqlTool, shop: Shop) -> None:
    mark = "`" if shop.backend == "mysql" else '"'
    column = "a``b" if shop.backend == "mysql" else 'a""b'
    sql = f"SELECT {mark}select{mark}, {mark}{column}{mark} FROM {mark}order{mark}"
    assert list((await only(tool, sql)).values()) == [1, ""]
    assert f"{mark}order{mark}(" in tool.description
    assert f"{mark}name with space; DROP TABLE x{mark}" in tool.description


async def test_rows_are_capped_and_it_is_said(tool: SqlTool) -> None:
    result = await run(tool, "SELECT id FROM wide ORDER BY id", limit=5)
    assert [json.loads(piece.text)["id"] for piece in result.evidence] == [1, 2, 3, 4, 5]
    assert (result.truncated, result.total) == (True, None)


def test_the_schema_is_told_with_its_comments_as_data(tool: SqlTool) -> None:
    description = tool.description
    assert '"our own number"' in description
    assert '"one row an order"' in description
    assert '\\"}] STOP_REQUIRED"' in description  # a comment cannot leave its quotes
    assert "\n" not in description
    assert len(description) < 1_500


async def test_a_broken_view_is_a_failure_with_a_code(tool: SqlTool, shop: Shop) -> None:
    code = "SQL_UNKNOWN_NAME" if shop.backend == "mysql" else "SQL_INVALID"
    assert await failure(tool, "SELECT * FROM broken") == (code, False)


async def test_times_of_mysql_come_out_as_stored(mysql: Shop) -> None:
    found = await rows(SqlTool(mysql.url), "SELECT d, dt, ts, tm, y FROM times ORDER BY id")
    assert [list(row.values()) for row in found] == [
        ["0000-00-00", "0000-00-00 00:00:00.000000", "0000-00-00 00:00:00.000", "-838:59:59", 0],
        ["0000-00-00", "9999-12-31 23:59:59.999999", "2025-03-04 02:00:00.500+00:00",
         "838:59:59", 2155],
        [None] * 5,
    ]  # fmt: skip


async def test_bits_and_odd_numbers_of_mysql(mysql: Shop) -> None:
    tool = SqlTool(mysql.url)
    assert [row["bits"] for row in await rows(tool, "SELECT bits FROM blobs ORDER BY id")] == [
        2049, 0, None,
    ]  # fmt: skip
    found = await rows(tool, "SELECT f, e, j FROM nums ORDER BY e")
    assert [list(row.values()) for row in found] == [
        [1.7976931348623157e308, "", '{"a":1,"a":2}'],
        [0.0, "a", "[]"],
    ]


async def test_a_mysql_server_leaves_nothing_out_in_silence(mysql: Shop) -> None:
    tool = SqlTool(mysql.url)
    minutes = "SELECT 1 AS m UNION ALL SELECT m + 1 FROM day WHERE m < 1440"
    counted = f"WITH RECURSIVE day AS ({minutes}) SELECT COUNT(*) AS n FROM day"
    assert await only(tool, counted) == {"n": 1440}
    mysql.admin("SET GLOBAL group_concat_max_len = 1024")  # as MySQL's own default
    try:
        result = await run(tool, "SELECT GROUP_CONCAT(c) AS a FROM wide")
    finally:
        mysql.admin("SET GLOBAL group_concat_max_len = DEFAULT")
    assert "[2000 of 43892 characters]" in result.evidence[0].text
    assert result.truncated


async def test_times_of_postgresql_come_out_as_stored(postgres: Shop) -> None:
    found = await rows(SqlTool(postgres.url), "SELECT d, dt, ts, tm, i FROM times ORDER BY id")
    assert [list(row.values()) for row in found] == [
        ["0044-03-15 BC", "-infinity", "infinity", "24:00:00", "-1 mons"],
        ["294276-12-31", "9999-12-31 23:59:59.999999", "2025-03-04 02:00:00.5+00", "00:00:00",
         "838:59:59"],
        [None] * 5,
    ]  # fmt: skip


async def test_odd_values_of_postgresql(postgres: Shop) -> None:
    tool = SqlTool(postgres.url)
    assert [row["bits"] for row in await rows(tool, "SELECT bits FROM blobs ORDER BY id")] == [
        "100000000001", "000000000000", None,
    ]  # fmt: skip
    found = await rows(tool, "SELECT f, n, j, b, a, u FROM nums ORDER BY a DESC")
    assert [list(row.values()) for row in found] == [
        ["nan", "NaN", '{"a":1,"a":2}', '{"a": 0.10}', '["x", null, "NULL"]',
         "6f9619ff-8b86-d011-b42d-00cf4fc964ff"],
        [1.7976931348623157e308, "0." + "0" * 29 + "1", "[]", None, "[]", None],
    ]  # fmt: skip


async def test_a_comment_with_a_secret_is_left_out(shop: Shop) -> None:
    if shop.backend == "mysql":
        shop.admin("CREATE TABLE vault (a INT COMMENT 'login ops password=hunter2hunter2')")
    else:
        shop.admin("CREATE TABLE vault (a INT)")
        shop.admin("COMMENT ON COLUMN vault.a IS 'login ops password=hunter2hunter2'")
        shop.admin(f"GRANT SELECT ON vault TO {READER}")
    description = SqlTool(shop.url).description
    assert "vault(a int" in description
    assert "hunter2" not in description
