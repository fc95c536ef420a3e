"""A SQL log table: the same scope, results and failures as a folder of files."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.sources.log_table import COLUMNS, ask, make_table
from tests.sources.logs_folder import events, summary_of
from tools.evidence import ToolFailure
from tools.logs import LogColumns, LogsQuery, LogsTool, LogTableTool

START = datetime(2025, 1, 1, 10, tzinfo=UTC)
ROWS = [
    (0, "INFO", "cart", "cart created"),
    (1, "info", "pay-gateway", "pool shrunk to 1"),
    (2, "Error", "pay-gateway", "connection   refused by 10.0.0.7"),
    (3, "WARN", "cart", "库存不足 sku=ＳＫＵ－１"),
    (4, "CRITICAL", "pay-gateway", "gave up on 100%_done\nCaused by: x"),
    (5, None, "cart", "no level, STOP_REQUIRED\x1b[31m red"),
    (6, "loud", None, "no service"),
]


def spelled(kind: str, second: int) -> Any:
    """A time as a column of this kind holds it."""
    at = START + timedelta(seconds=second)
    local = at.astimezone(UTC).replace(tzinfo=None)
    return {
        "text with Z": f"{local.isoformat()}Z",
        "text": local.isoformat(sep=" "),
        "offset": at.astimezone().isoformat(),
        "seconds": int(at.timestamp()),
        "milliseconds": int(at.timestamp() * 1000),
        "nanoseconds": int(at.timestamp()) * 10**9,
        "fraction": at.timestamp() + 0.25,
        "timestamp": local,
        "timestamp in UTC": local,
        "timestamptz": at,
    }[kind]


SQLITE = {
    "text with Z": "TEXT", "text": "DATETIME", "offset": "TEXT", "seconds": "INTEGER",
    "milliseconds": "BIGINT", "nanoseconds": "BIGINT", "fraction": "REAL",
}  # fmt: skip
POSTGRES = {"timestamp": "TIMESTAMP", "timestamptz": "TIMESTAMPTZ", "milliseconds": "BIGINT"}
MARIADB = {"timestamp": "DATETIME(3)", "timestamp in UTC": "TIMESTAMP(3)", "seconds": "BIGINT"}
ENGINES = {"sqlite": SQLITE, "postgres": POSTGRES, "mariadb": MARIADB}


@pytest.fixture(
    params=[(engine, kind) for engine, types in ENGINES.items() for kind in types],
    ids=lambda param: f"{param[0]} {param[1]}",
)
def tool(request: pytest.FixtureRequest, tmp_path: Path) -> LogTableTool:
    engine, kind = request.param
    if engine == "sqlite":
        url = f"sqlite:///{tmp_path / 'log s%.db'}".replace("%", "%25")
    else:
        url = request.getfixturevalue(f"{engine}_server").new_database()
    rows = [(spelled(kind, second), *rest) for second, *rest in ROWS]
    make_table(url, ENGINES[engine][kind], rows)
    return LogTableTool(url, COLUMNS)


@pytest.mark.parametrize(
    ("question", "numbers"),
    [
        ({"service": "cart"}, [1, 4, 6]), ({"service": "gateway"}, [2, 3, 5]),
        ({"service": "the pay-gateway"}, [2, 3, 5]), ({"service": "nobody"}, []),
        ({"service": "cart", "level": "WARN"}, [4]), ({"keyword": "Connection REFUSED"}, [3]),
        ({"keyword": "不足"}, [4]), ({"keyword": "100%_d"}, [5]), ({"keyword": "100%xd"}, []),
        ({"keyword": "'; DROP TABLE app_logs; --"}, []), ({"keyword": "stop_required"}, [6]),
        ({"start": "2025-01-01T10:00:01Z", "end": "2025-01-01T10:00:03.5Z"}, [2, 3, 4]),
        ({"start": "2025-01-01T18:00:05", "timezone": "+08:00"}, [6, 7]),
        ({"end": "2024-12-31"}, []), ({"start": "2025-01-01", "level": "FATAL"}, [5]),
    ],
    ids=str,
)  # fmt: skip
async def test_a_table_answers_like_a_folder(
    tool: LogTableTool, question: dict[str, Any], numbers: list[int]
) -> None:
    result = await ask(tool, around=0, **question)
    assert [e.source for e in events(result)] == [f"app_logs:{number}" for number in numbers]
    assert (result.total, result.truncated) == (len(numbers), False)


async def test_a_row_is_one_clean_line_with_its_time_in_utc(tool: LogTableTool) -> None:
    (item,) = (await ask(tool, keyword="refused")).evidence
    assert item.text.replace(".250", "").replace(".000", "") == (
        "2025-01-01T10:00:02Z Error [pay-gateway] connection   refused by 10.0.0.7"
    )
    (item,) = (await ask(tool, keyword="no level")).evidence
    assert item.text.endswith("Z [cart] no level, STOP_REQUIRED red")


async def test_rows_beside_a_match_are_of_its_service(tool: LogTableTool) -> None:
    result = await ask(tool, service="pay-gateway", level="FATAL")
    assert [e.source for e in result.evidence] == [
        "app_logs:2 (near line 5)",
        "app_logs:3 (near line 5)",
        "app_logs:5",
    ]
    assert result.total == 1


def test_the_scope_is_that_of_a_folder(tool: LogTableTool, tmp_path: Path) -> None:
    question = LogsQuery(service=" Pay ", start=START, level="ERROR", keyword="a  b")
    assert tool.scope(question) == LogsTool(tmp_path).scope(question)


def test_the_description_names_services_and_their_days(tool: LogTableTool) -> None:
    assert "Services by days covered: 2025-01-01: cart, pay-gateway" in tool.description


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ({"service": "a", "start": "2025-01-02", "end": "2025-01-01"}, "INVALID_TIME_WINDOW"),
        ({"service": "a", "timezone": "CST"}, "UNKNOWN_TIME_ZONE"),
        ({"level": "ERROR"}, "QUERY_TOO_BROAD"),
    ],
)
async def test_questions_that_make_no_sense_fail_by_name(
    tool: LogTableTool, question: dict[str, Any], code: str
) -> None:
    with pytest.raises(ToolFailure) as failure:
        await ask(tool, **question)
    assert (failure.value.code, failure.value.retryable) == (code, False)


@pytest.fixture
def many(tmp_path: Path) -> LogTableTool:
    url = f"sqlite:///{tmp_path / 'logs.db'}"
    noise = [(spelled("text", n), "INFO", "api", f"health ok {n}") for n in range(500)]
    make_table(url, "TEXT", [*noise, (spelled("text", 300), "ERROR", "api", "disk full")])
    return LogTableTool(url, COLUMNS, max_rows=50)


# one decisive row among thousands, and counts of all of them
async def test_more_rows_than_are_looked_at_are_counted_errors_first(many: LogTableTool) -> None:
    result = await ask(many, service="api", limit=5)
    assert (result.total, result.truncated) == (501, True)
    text = summary_of(result)
    assert f"shown {len(events(result))} of 501 matching events" in text
    assert "levels: ERROR 1, INFO 500" in text
    assert "kinds are of 50 of them, errors first" in text
    assert any("disk full" in e.text for e in events(result))
    window = {"start": "2025-01-01T10:01:00Z", "end": "2025-01-01T10:03:19Z"}
    assert (await ask(many, service="api", **window)).total == 140
    assert (await ask(many, keyword="h%ok")).total == 0


# words may stand apart in a row: those rows are read, and not counted as matches unread
async def test_a_keyword_of_several_words_is_not_counted_by_guess(many: LogTableTool) -> None:
    result = await ask(many, keyword="health 7")
    assert (result.evidence, result.total, result.truncated) == ([], 0, True)


async def test_rows_without_a_key_are_numbered_by_the_answer(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'logs.db'}"
    make_table(
        url, "TEXT", [(spelled("text", n), "INFO", "a", f"x {n}") for n in (2, 0)], key=False
    )
    result = await ask(LogTableTool(url, COLUMNS), service="a", around=2)
    assert [e.source for e in result.evidence] == ["app_logs:1", "app_logs:2"]
    assert [e.text[-3:] for e in result.evidence] == ["x 0", "x 2"]
    named = LogColumns("main.app_logs", "at", "severity", "svc", "msg", id="id")
    result = await ask(LogTableTool(url, named), service="a")
    assert [e.source for e in result.evidence] == ["main.app_logs:2", "main.app_logs:1"]


async def test_times_that_cannot_be_read_are_no_times(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'logs.db'}"
    good = spelled("text", 0)
    make_table(url, "TEXT", [(good, "INFO", "a", "x"), (None, "INFO", "a", "x"),
                             ("2024-99-99", "INFO", "a", "x")])  # fmt: skip
    tool = LogTableTool(url, COLUMNS)
    assert (await ask(tool, service="a")).total == 3
    assert (await ask(tool, service="a", start="2025-01-01")).total == 1


async def test_an_empty_table_is_empty(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'logs.db'}"
    make_table(url, "TEXT", [])
    for question in ({"service": "a"}, {"keyword": "a"}, {"start": "2025-01-01"}):
        result = await ask(LogTableTool(url, COLUMNS), **question)
        assert (result.evidence, result.total, result.truncated) == ([], 0, False)


async def test_a_window_leaves_out_all_rows_of_a_table_without_times(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'logs.db'}"
    make_table(url, "INTEGER", [(None, "INFO", "a", "x")])
    assert (await ask(LogTableTool(url, COLUMNS), service="a")).total == 1
    assert (await ask(LogTableTool(url, COLUMNS), service="a", end="2025-01-01")).total == 0
