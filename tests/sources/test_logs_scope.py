"""What may be asked, in which canonical form, and which questions are refused."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.sources.logs_folder import LogFolder
from tools.evidence import ToolFailure
from tools.logs import LogsQuery, LogsTool

SAME = [
    {"service": "Pay", "start": "2025-03-04T10:00:00Z", "keyword": "Connection  refused"},
    {"service": " pay ", "start": "2025-03-04T18:00:00+08:00", "keyword": "connection refused"},
    {"service": "ｐａｙ", "start": "2025-03-04T18:00", "timezone": "Asia/Shanghai",
     "keyword": "CONNECTION\trefused", "level": None, "limit": 20},
    {"service": "pay", "start": "2025-03-04 10:00:00", "timezone": " z ", "end": "", "level": " ",
     "keyword": "Connection refused"},
]  # fmt: skip


def scope(question: dict[str, Any]) -> dict[str, Any]:
    return LogsTool(Path("unused")).scope(LogsQuery.model_validate(question))


# C5.3: defaults in, times in UTC with the zone stated; equal scopes are the same query
def test_the_same_question_has_one_scope() -> None:
    wanted = {
        "service": "pay",
        "start": "2025-03-04T10:00:00+00:00",
        "end": None,
        "timezone": "UTC",
        "level": None,
        "keyword": "connection refused",
        "limit": 20,
        "around": 0,
    }
    assert [scope(question) for question in SAME] == [wanted] * len(SAME)
    assert scope(wanted) == wanted


# a level filter hides what led up to a match, so its neighbours are part of the default
def test_the_neighbours_asked_for_are_stated_in_the_scope() -> None:
    assert scope({"service": "a", "level": "ERROR"})["around"] == 2
    assert scope({"service": "a", "level": "ERROR", "around": 0})["around"] == 0
    assert scope({"service": "a", "level": "ERROR", "around": 2}) == scope(
        {"service": "a", "level": "error"}
    )


@pytest.mark.parametrize(
    "change",
    [
        {"service": "payer"}, {"start": "2025-03-04T10:00:01Z"}, {"end": "2025-03-05"},
        {"level": "ERROR"}, {"keyword": "refused"}, {"limit": 21}, {"around": 1},
    ],
)  # fmt: skip
def test_another_question_has_another_scope(change: dict[str, Any]) -> None:
    assert scope({**SAME[0], **change}) != scope(SAME[0])


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ({"service": "a", "start": "2025-01-02", "end": "2025-01-01"}, "INVALID_TIME_WINDOW"),
        ({"start": "2025-01-01T10:00", "timezone": "CST"}, "UNKNOWN_TIME_ZONE"),
        ({"service": "a", "timezone": "Mars/Olympus"}, "UNKNOWN_TIME_ZONE"),
        ({}, "QUERY_TOO_BROAD"),
        ({"level": "ERROR"}, "QUERY_TOO_BROAD"),
        ({"service": "  ", "keyword": ""}, "QUERY_TOO_BROAD"),
    ],
)  # fmt: skip
async def test_questions_that_make_no_sense_fail_by_name(
    tmp_path: Path, question: dict[str, Any], code: str
) -> None:
    with pytest.raises(ToolFailure) as failure:
        await LogFolder(tmp_path).ask(**question)
    assert (failure.value.code, failure.value.retryable) == (code, False)


async def test_bounds_in_different_zones_are_compared_as_instants(tmp_path: Path) -> None:
    window = {"start": "2025-01-01T10:00", "end": "2025-01-01T09:00Z", "timezone": "+02:00"}
    assert (await LogFolder(tmp_path).ask(**window)).total == 0


@pytest.mark.parametrize(
    "question",
    [
        {"limit": 0}, {"limit": 101}, {"level": "LOUD"}, {"start": "yesterday"},
        {"around": -1}, {"around": 11},
        {"service": "x" * 201}, {"keyword": "x" * 201}, {"timezone": ""},
        {"timezone": "x" * 65}, {"tenant": "t"},
        {"start": "0001-01-01T00:00:00+14:00"}, {"end": "9999-12-31T23:59:59-14:00"},
        {"service": ["a"]}, {"keyword": {"a": 1}},
    ],
)  # fmt: skip
def test_what_the_schema_refuses(question: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        LogsQuery.model_validate(question)


def test_every_field_is_described_and_optional() -> None:
    schema = LogsQuery.model_json_schema()
    assert "required" not in schema
    assert not schema["additionalProperties"]
    assert set(schema["properties"]) == {
        "service", "start", "end", "timezone", "level", "keyword", "limit",
        "around",
    }  # fmt: skip
    assert all(len(field["description"]) < 160 for field in schema["properties"].values())


async def test_the_folder_is_reached_only_when_asked(tmp_path: Path) -> None:
    folder = LogFolder(tmp_path / "not there yet")
    with pytest.raises(ToolFailure) as failure:
        await folder.ask(keyword="x")
    assert (failure.value.code, failure.value.retryable) == ("LOG_SOURCE_UNAVAILABLE", True)
    assert str(tmp_path) not in str(failure.value)
    folder.write("a.log", "2025-01-01T00:00:00Z x\n")
    assert await folder.sources(keyword="x", end=datetime(2026, 1, 1, tzinfo=UTC)) == ["a.log:1"]
