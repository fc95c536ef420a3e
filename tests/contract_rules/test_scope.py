"""What counts as the same query, and the keys made from it (C5.3)."""

import json
import time
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel, Field

from tools.scope import (
    canonical_json,
    canonical_keyword,
    canonical_text,
    canonical_text_fields,
    canonical_time,
    canonical_value,
    invocation_key,
    scope_key,
)

E_COMPOSED, E_DECOMPOSED = "caf\u00e9", "cafe\u0301"
NOON = datetime(2026, 7, 26, 12, 0, tzinfo=UTC)
NOON_UTC = "2026-07-26T12:00:00+00:00"
SHANGHAI = timezone(timedelta(hours=8))


class Window(BaseModel):
    service: str
    start: datetime | None = None
    end: datetime | None = None
    limit: int = 20
    tags: list[str] = Field(default_factory=list)
    extra: dict[str, Any] = Field(default_factory=dict)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("  payment\n", "payment"),
        (E_DECOMPOSED, E_COMPOSED),
        ("a  b", "a  b"),
        ("Ａ１", "Ａ１"),
        ("Payment", "Payment"),
        ("", ""),
    ],
)
def test_text_is_trimmed_and_composed_and_otherwise_left_alone(text: str, canonical: str) -> None:
    # C5.3: only differences that every adapter ignores
    assert canonical_text(text) == canonical


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("  切换   企业\t失败\n", "切换 企业 失败"),
        ("ＥＲＲＯＲ　５００", "ERROR 500"),
        (E_DECOMPOSED, E_COMPOSED),
        ("ﬁle", "file"),
        ("Error", "Error"),
        (" \u3000 ", ""),
    ],
)
def test_keywords_are_also_compatible_and_single_spaced(text: str, canonical: str) -> None:
    # C5.3
    assert canonical_keyword(text) == canonical


def test_a_time_is_an_instant_in_utc_with_its_zone() -> None:
    # C5.3
    assert canonical_time(NOON) == "2026-07-26T12:00:00+00:00"
    assert canonical_time(NOON.astimezone(SHANGHAI)) == "2026-07-26T12:00:00+00:00"
    with pytest.raises(ValueError, match=r"^a time in a scope needs a zone$"):
        canonical_time(NOON.replace(tzinfo=None))


@pytest.mark.parametrize(
    ("value", "canonical"),
    [
        (" a ", "a"),
        (NOON.astimezone(SHANGHAI), "2026-07-26T12:00:00+00:00"),
        (NOON.replace(tzinfo=None), "2026-07-26T12:00:00"),
        ([" a ", (" b ", 1)], ["a", ["b", 1]]),
        ({" k ": {"deep": [E_DECOMPOSED]}, 1: None}, {" k ": {"deep": [E_COMPOSED]}, "1": None}),
        ({" b ", "a", E_DECOMPOSED}, ["a", "b", E_COMPOSED]),
        (frozenset({10, 9, "9", None}), ["9", 10, 9, None]),
        ({("b", 1), ("a", 2)}, [["a", 2], ["b", 1]]),
        ({"window": [{"end": NOON.astimezone(SHANGHAI)}]}, {"window": [{"end": NOON_UTC}]}),
        (True, True),
        (1.5, 1.5),
        (None, None),
    ],
)
def test_values_are_canonical_at_any_depth(value: Any, canonical: Any) -> None:
    # C5.3
    assert canonical_value(value) == canonical
    assert type(canonical_value(value)) is type(canonical)


def test_a_scope_has_its_defaults_filled_in_and_its_times_in_utc() -> None:
    # C5.3
    request = Window(service=" payment ", start=NOON.astimezone(SHANGHAI), tags=[" a "])
    assert canonical_text_fields(request) == {
        "service": "payment",
        "start": "2026-07-26T12:00:00+00:00",
        "end": None,
        "limit": 20,
        "tags": ["a"],
        "extra": {},
    }


def test_a_time_does_not_depend_on_where_the_process_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    # C5.3
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    try:
        assert canonical_time(NOON) == "2026-07-26T12:00:00+00:00"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_scope_is_json_whatever_its_fields_are() -> None:
    # C5.3
    class Charges(BaseModel):
        day: date = date(2026, 7, 26)
        least: Decimal = Decimal("0.10")
        id: UUID = UUID(int=7)

    scope = canonical_text_fields(Charges())
    assert json.loads(canonical_json(scope)) == scope
    assert scope == {"day": "2026-07-26", "least": "0.10", "id": str(UUID(int=7))}


def test_requests_that_ask_the_same_have_one_key() -> None:
    # C5.3: key order, defaults, zones, composition and trimming are no difference
    spellings: list[dict[str, Any]] = [
        {"service": E_COMPOSED, "start": "2026-07-26T12:00:00Z"},
        {"limit": 20, "start": "2026-07-26T20:00:00+08:00", "service": E_DECOMPOSED},
        {"service": f" {E_COMPOSED} ", "end": None, "start": "2026-07-26T12:00:00+00:00"},
    ]
    scopes = [canonical_text_fields(Window.model_validate(spelling)) for spelling in spellings]
    assert len({scope_key("query_logs", scope) for scope in scopes}) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"service": "Payment"},
        {"service": "payment", "limit": 21},
        {"service": "payment", "start": "2026-07-26T12:00:00Z"},
        {"service": "payment", "tags": ["a"]},
        {"service": "payment", "extra": {"a": 1}},
    ],
)
def test_requests_that_ask_something_else_have_another_key(other: dict[str, Any]) -> None:
    # C5.3
    one = scope_key("query_logs", canonical_text_fields(Window(service="payment")))
    assert scope_key("query_logs", canonical_text_fields(Window.model_validate(other))) != one


def test_json_is_spelt_in_one_way() -> None:
    # C5.3
    assert canonical_json({"b": [1, None], "a": "é 企业"}) == '{"a":"é 企业","b":[1,null]}'
    assert canonical_json({"a": "x", "b": 1}) == canonical_json({"b": 1, "a": "x"})


def test_keys_are_the_ones_that_earlier_versions_stored() -> None:
    # C5.1: a run resumed by a later version finds its records
    assert scope_key("query_logs", {"b": 1, "a": "é"}) == "d5073d1d52567032ccdfdabf03faced8"
    assert invocation_key("run", "key") == "829080d1c22a22ec5d083b1a17fe2c73"


def test_keys_tell_tools_runs_and_kinds_apart() -> None:
    # C5.1 C3.4: the same scope of another tool is not a repeat
    keys = {
        scope_key("query_logs", {}),
        scope_key("query_mysql", {}),
        invocation_key("query_logs", "{}"),
        invocation_key("run", "key"),
        invocation_key("ru", "nkey"),
        invocation_key("key", "run"),
    }
    assert len(keys) == 6
    assert {len(key) for key in keys} == {32}


def test_a_text_no_encoding_can_hold_still_has_a_key() -> None:
    # C5.3: half a surrogate pair comes out of JSON escapes
    assert scope_key("query_logs", {"keyword": "\ud800"}) != scope_key(
        "query_logs", {"keyword": ""}
    )
