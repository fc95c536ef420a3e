"""Rows as evidence: values exact, order kept, rows, bytes and texts bounded and said so."""

import datetime
import decimal
import json
from pathlib import Path

import pytest

from tests.sources.sql_database import make_database, rows, run
from tools.sql import SqlTool
from tools.sql.rows import RowBounds, read_rows


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_database(tmp_path / "shop #1%.sqlite")


@pytest.fixture
def tool(path: Path) -> SqlTool:
    return SqlTool(f"sqlite:///{path}")


async def test_one_evidence_a_row_in_order(tool: SqlTool) -> None:
    result = await run(tool, "SELECT status, order_id FROM orders ORDER BY order_id DESC")
    assert [piece.text for piece in result.evidence] == [
        '{"status": "FAILED", "order_id": 9007199254740993}',  # no digit lost
        '{"status": "FAILED", "order_id": 3}',
        '{"status": "DONE", "order_id": 2}',
    ]
    assert {piece.source for piece in result.evidence} == {"shop #1%: orders"}
    assert (result.truncated, result.total, result.relevance_level) == (False, 3, None)


async def test_sources_name_every_table_or_none(tool: SqlTool) -> None:
    joined = await run(tool, "SELECT 1 FROM orders JOIN wide ON wide.id = order_id")
    assert joined.evidence[0].source == "shop #1%: orders, wide"
    assert (await run(tool, "SELECT 1")).evidence[0].source == "shop #1%: no table"


async def test_no_rows_are_a_result(tool: SqlTool) -> None:
    result = await run(tool, "SELECT * FROM orders WHERE order_id = 77")
    assert (result.evidence, result.truncated, result.total) == ([], False, 0)
    assert (await run(tool, "PRAGMA table_info(nosuch)")).evidence == []


async def test_values_stay_what_they_are(tool: SqlTool) -> None:
    assert [
        row["note"] for row in await rows(tool, "SELECT note FROM orders ORDER BY order_id")
    ] == [
        "",
        "NULL",
        None,
    ]
    assert await rows(tool, "SELECT * FROM 订单") == [{"编号": 1, "备注": "加急😀"}]
    assert await rows(tool, "SELECT * FROM `order`") == [
        {"select": 1, "name with space; DROP TABLE x": 'a"b'}
    ]
    assert [row["data"] for row in await rows(tool, "SELECT data FROM blobs ORDER BY id")] == [
        "[binary, 3 bytes]",
        "[binary, 2000000 bytes]",
        "[binary, 0 bytes]",
        None,
    ]
    assert await rows(
        tool, "SELECT '%s :x ?' AS a, 0.1 AS b, 1e999 AS c, CAST(X'ff41' AS TEXT) AS d"
    ) == [{"a": "%s :x ?", "b": 0.1, "c": "inf", "d": "\\xffA"}]


async def test_columns_of_one_name_are_all_shown(tool: SqlTool) -> None:
    sql = "SELECT a.order_id, a.order_id, 1 AS order_id_2, b.order_id FROM orders a JOIN orders b"
    assert list((await rows(tool, sql))[0]) == [
        "order_id",
        "order_id_3",
        "order_id_2",
        "order_id_4",
    ]


def test_values_of_other_databases() -> None:
    cells = {
        "decimal": (
            decimal.Decimal("12345678901234567890.1234567890"),
            "12345678901234567890.1234567890",
        ),
        "tiny": (decimal.Decimal("-1E-10"), "-0.0000000001"),
        "moment": (datetime.datetime(2025, 3, 4, 10, 0, 1, 5), "2025-03-04 10:00:01.000005"),
        "day": (datetime.date(2025, 3, 4), "2025-03-04"),
        "time": (-datetime.timedelta(hours=838, minutes=59, seconds=59), "-838:59:59"),
        "span": (datetime.timedelta(seconds=61, microseconds=7), "00:01:01.000007"),
        "bits": (bytearray(b"\x01"), "[binary, 1 bytes]"),
        "json": ({"a": ["甲"]}, '{"a": ["甲"]}'),
        "nan": (float("nan"), "nan"),
        "yes": (True, True),
    }
    row = [stored for stored, _ in cells.values()]
    shown = read_rows(list(cells), [row], RowBounds(9, 9_999, 99))
    assert json.loads(shown.texts[0]) == {name: text for name, (_, text) in cells.items()}


async def test_more_rows_than_the_limit_say_so(tool: SqlTool) -> None:
    result = await run(tool, "SELECT * FROM wide ORDER BY id", limit=3)
    assert [json.loads(piece.text)["id"] for piece in result.evidence] == [1, 2, 3]
    assert (result.truncated, result.total) == (True, None)
    exact = await run(tool, "SELECT * FROM wide ORDER BY id LIMIT 3", limit=3)
    assert (len(exact.evidence), exact.truncated, exact.total) == (3, False, 3)


async def test_bytes_are_bounded_on_a_character(path: Path) -> None:
    tool = SqlTool(f"sqlite:///{path}", max_bytes=40)
    result = await run(tool, "SELECT id FROM wide ORDER BY id")
    assert [piece.text for piece in result.evidence] == [
        '{"id": 1}',
        '{"id": 2}',
        '{"id": 3}',
        '{"id": 4}',
    ]
    assert (result.truncated, result.total) == (True, None)
    huge = await run(tool, "SELECT replace('aaaaaaaaaaaa', 'a', '甲') AS a")
    assert huge.truncated
    assert huge.evidence[0].text == '{"a": "甲甲甲甲甲甲甲甲甲甲甲'


async def test_a_long_text_is_cut_and_says_so(path: Path) -> None:
    tool = SqlTool(f"sqlite:///{path}", max_cell_chars=5)
    result = await run(tool, "SELECT replace('aaaa', 'a', 'ab') AS a, 'abcde' AS b")
    assert json.loads(result.evidence[0].text) == {"a": "ababa… [5 of 8 characters]", "b": "abcde"}
    assert result.truncated
