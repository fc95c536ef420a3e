"""From `input` to the query that runs: what is refused, what is canonical, what never raises."""

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, field_validator

from tests.fakes.sources import KeywordSource
from tools import EvidenceTool, ToolFailure, ToolResult
from tools.requests import InvalidInput, PreparedRequest, plain_object, prepare_request
from tools.scope import canonical_text_fields, scope_key


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


class Custom(EvidenceTool[Any]):
    """A plugged-in tool whose scope is whatever the test says."""

    name, description = "custom", "custom"

    class Input(BaseModel):
        model_config = ConfigDict(extra="ignore")

        keyword: str = "all"
        level: str = Field("INFO", alias="lvl")
        since: datetime | None = None
        size: float = 0.0

        @field_validator("keyword")
        @classmethod
        def _picky(cls, value: str) -> str:
            if value == "type error":
                raise TypeError("secret")
            if value == "key error":
                raise KeyError("secret")
            return value

    def __init__(self, scope: Any = None) -> None:
        self._scope = scope

    def scope(self, request: Any) -> dict[str, Any]:
        """The default, a value, or an exception."""
        if isinstance(self._scope, BaseException):
            raise self._scope
        if callable(self._scope):
            return self._scope(request)  # type: ignore[no-any-return]
        return super().scope(request) if self._scope is None else self._scope

    async def search(self, request: Any) -> ToolResult:
        """Never called here."""
        raise NotImplementedError


def prepared(tool: EvidenceTool[Any], values: Any) -> PreparedRequest:
    request = prepare_request(tool, values)
    assert isinstance(request, PreparedRequest)
    return request


def test_a_request_runs_exactly_its_scope():
    # C5.3: defaults filled in, texts trimmed and in NFC
    made = prepared(KeywordSource(), {"keyword": "  e\u0301chec "})
    assert made.scope == {
        "keyword": "échec",
        "limit": 5,
        "share": 0.5,
        "level": None,
        "filters": {},
        "anything": None,
    }
    assert made.request.model_dump() == made.scope
    assert made.scope_key == scope_key("query_logs", made.scope)
    assert made.failure is None


def test_equal_scopes_are_the_same_query():
    # C5.3: key order, blanks and spelled-out defaults make no difference; a value does
    tool = KeywordSource()
    key = prepared(tool, {"keyword": "a"}).scope_key
    assert prepared(tool, {"limit": 5, "keyword": " a\n"}).scope_key == key
    assert prepared(tool, {"keyword": "a", "limit": 6}).scope_key != key
    assert prepared(KeywordSource("other"), {"keyword": "a"}).scope_key != key


@pytest.mark.parametrize(
    ("values", "fields"),
    [
        ({}, ("keyword",)),
        ({"keyword": 1, "limit": 0}, ("keyword", "limit")),
        ({"keyword": "a", "secret field": 1}, ()),
        ({"keyword": "a", "filters": {1: 2}, "level": "secret value"}, ("level",)),
    ],
)
def test_invalid_input_names_declared_fields_only(values, fields):
    # C2.2, C4
    assert prepare_request(KeywordSource(), values) == InvalidInput(fields)


def test_an_aliased_field_is_named_as_the_model_knows_it():
    # C2.2, C4
    assert prepare_request(Custom(), {"lvl": 5, "secret": 1}) == InvalidInput(("lvl",))


@pytest.mark.parametrize(
    "values",
    [
        {"keyword": "\ud800"},
        {"keyword": "a", "anything": float("nan")},
        {"keyword": "a", "anything": [float("inf")]},
        {"keyword": "a", "anything": 2**63},
        {"keyword": "a", "anything": -(2**63) - 1},
        {"keyword": "a", "anything": object()},
        {"keyword": "a", "anything": nested(5_000)},
        {"keyword": "a", "share": "nan"},
        {"keyword": "a", "share": "1e999"},
    ],
    ids=lambda values: str(list(values))[:40],
)
def test_what_cannot_be_spelled_is_refused(values):
    # C2.2: no checkpoint, store or provider could hold it
    assert prepare_request(KeywordSource(), values) == InvalidInput(())


def test_the_largest_integers_pass():
    for value in (2**63 - 1, -(2**63)):
        made = prepared(KeywordSource(), {"keyword": "a", "anything": value})
        assert made.scope["anything"] == value


@pytest.mark.parametrize("keyword", ["type error", "key error"])
def test_a_schema_that_breaks_refuses_the_input(keyword):
    # C2.2
    assert prepare_request(Custom(), {"keyword": keyword}) == InvalidInput(())


def test_a_scope_that_makes_no_sense_is_a_failure_under_the_default_scope():
    # C2.2: `from > to` is a tool failure, not a violation
    failure = ToolFailure("WINDOW_REVERSED", retryable=False)
    made = prepared(Custom(failure), {"keyword": " a "})
    assert made.failure is failure
    assert made.scope["keyword"] == "a"
    assert made.scope_key == scope_key("custom", made.scope)


@pytest.mark.parametrize(
    "scope",
    [
        RuntimeError("secret"),
        RecursionError(),
        ["no", "object"],
        "text",
        {"at": datetime(2026, 1, 1, tzinfo=UTC)},
        {"share": float("nan")},
        {"keyword": "\udfff"},
        {"set": {1, 2}},
    ],
    ids=repr,
)
def test_a_broken_scope_is_a_named_failure(scope):
    # C5.1: a plugged-in tool's fault has a code, and its text is dropped
    made = prepared(Custom(scope), {"keyword": "a"})
    assert made.failure is not None
    assert (made.failure.code, made.failure.retryable) == ("SCOPE_FAILED", False)
    assert made.scope == canonical_text_fields(made.request)


def test_a_scope_that_could_never_be_plain_refuses_the_input():
    # C2.2
    assert prepare_request(Custom(), {"size": "inf"}) == InvalidInput(())
    assert prepare_request(Custom(RuntimeError()), {"size": "inf"}) == InvalidInput(())


def test_an_aliased_value_survives_the_way_through_the_scope():
    # C5.3: the search runs the scope, never the defaults instead of it
    made = prepared(Custom(), {"lvl": "ERROR", "keyword": " a "})
    assert made.scope["level"] == "ERROR"
    assert (made.request.level, made.request.keyword) == ("ERROR", "a")


def test_a_scope_with_keys_of_its_own_leaves_the_request_as_it_was():
    # C5.3
    made = prepared(Custom({"window": "a..b"}), {"keyword": " a ", "lvl": "ERROR"})
    assert made.scope == {"window": "a..b"}
    assert (made.request.keyword, made.request.level) == (" a ", "ERROR")


def test_a_scope_its_schema_does_not_take_back_leaves_the_request_as_it_was():
    # C5.3
    for bad in ("type error", "key error"):
        made = prepared(Custom({"keyword": bad}), {"keyword": " a "})
        assert made.scope == {"keyword": bad}
        assert made.request.keyword == " a "


def test_a_scope_is_a_copy():
    # C5.2: nothing a tool keeps can change a record later
    kept: dict[str, Any] = {"keyword": "a"}
    made = prepared(Custom(kept), {})
    kept["keyword"] = "b"
    assert made.scope == {"keyword": "a"}


def test_plain_objects_are_objects_with_text_keys():
    assert plain_object({1: (2, "诊断")}) == {"1": [2, "诊断"]}
    for value in ([], "x", None, 7):
        with pytest.raises(TypeError):
            plain_object(value)
