"""What the boundary records of a search, and what it never lets out (C5.1, C5.2, C5.4)."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.fakes.sources import KeywordSource, found
from tests.wiring.boundary_bench import NOW, Clock, boundary, invocation
from tools import Evidence, ToolFailure, ToolResult
from tools.boundary import LEASE_MARGIN_SECONDS
from tools.invocations import InvocationRecord
from tools.invocations.sqlite import SqliteInvocationStore
from tools.observation import MAX_ITEMS, MAX_SOURCE_CHARS
from tools.requests import PreparedRequest
from tools.scope import invocation_key


@pytest_asyncio.fixture
async def store() -> AsyncIterator[SqliteInvocationStore]:
    opened = SqliteInvocationStore(":memory:")
    yield opened
    await opened.aclose()


async def recorded(
    store: SqliteInvocationStore, answer: Any, *, factual: bool = True, **changes: Any
) -> InvocationRecord:
    """The record of one search that answers with `answer`, as the store holds it."""
    tool = KeywordSource(answers={"pool": answer}, factual=factual)
    outcome = await boundary(store).invoke(invocation(tool, **changes))
    assert (outcome.reused, outcome.taken_over) == (False, False)
    stored = await store.find(outcome.record["key"])
    assert stored is not None
    assert {**stored, "failures": 0} == {**outcome.record, "failures": 0}
    return stored


async def test_a_result_is_projected_into_the_record(store):
    # C5.1, C5.2: owner, times, byte counts, evidence ids; nothing raw
    tool = KeywordSource()
    call = invocation(tool)
    outcome = await boundary(store, Clock()).invoke(call)
    texts = ["ERROR pool exhausted after 50 waits", "WARN pool at 49 of 50"]
    owner = outcome.record["owner"]
    assert len(owner) == 32
    assert outcome.record == {
        "key": invocation_key(call.run_key, call.prepared.scope_key),
        "run_id": "run-1",
        "tool": "query_logs",
        "tool_call_id": "c1",
        "scope": call.prepared.scope,
        "factual": True,
        "status": "READY",
        "evidence": [
            {"id": "e1", "source": "app.log:1", "text": texts[0]},
            {"id": "e2", "source": "app.log:2", "text": texts[1]},
        ],
        "evidence_status": "EVIDENCE_FOUND",
        "relevance_level": None,
        "truncated": False,
        "total": None,
        "bytes": sum(map(len, texts)),
        "error_code": None,
        "retryable": False,
        "failures": 0,
        "owner": owner,
        "lease_expires_at": NOW + 3.0 + LEASE_MARGIN_SECONDS,
        "started_at": NOW,
        "finished_at": NOW,
    }
    assert await store.find(outcome.record["key"]) == outcome.record
    assert tool.runs == [call.prepared.scope]
    assert outcome.duration_ms >= 0


async def test_an_empty_result_is_a_result(store):
    # C3, C4: zero rows are READY, no failure
    record = await recorded(store, found())
    assert (record["status"], record["evidence_status"]) == ("READY", "NO_EVIDENCE")
    assert (record["evidence"], record["bytes"]) == ([], 0)


@pytest.mark.parametrize(
    ("factual", "level", "expected"),
    [
        (False, "DIRECT", "DIRECT"),
        (False, "REFERENCE", "REFERENCE"),
        (False, None, "REFERENCE"),
        (False, "direct", "REFERENCE"),
        (False, 7, "REFERENCE"),
        (True, "DIRECT", None),
        (True, None, None),
    ],
)
async def test_only_knowledge_has_a_relevance_level(store, factual, level, expected):
    # C5.4
    answer = found("some text", relevance_level=level)
    assert (await recorded(store, answer, factual=factual))["relevance_level"] == expected


async def test_an_empty_result_has_no_relevance_level(store):
    # C5.4
    record = await recorded(store, found(relevance_level="DIRECT"), factual=False)
    assert record["relevance_level"] is None
    assert record["factual"] is False


@pytest.mark.parametrize(
    ("given", "total", "truncated"),
    [
        ({"total": 9, "truncated": True}, 9, True),
        ({"total": 0}, 0, False),
        ({"total": -1, "truncated": None}, None, False),
        ({"total": "9", "truncated": "maybe"}, None, True),
        ({"total": True, "truncated": 0}, None, False),
        ({"total": 1.5}, None, False),
    ],
)
async def test_counts_are_counts_and_flags_are_flags(store, given, total, truncated):
    # C5.1: whatever a plugged-in source puts there
    record = await recorded(store, found("a line of text", **given))
    assert record["total"] is total or record["total"] == total
    assert record["truncated"] is truncated


async def test_items_sources_and_bytes_are_bounded(store):
    # C4, C5.2
    full = found(*["line"] * MAX_ITEMS)
    record = await recorded(store, full, max_bytes=1_000_000)
    assert len(record["evidence"]) == MAX_ITEMS
    assert record["truncated"] is False


async def test_one_item_too_many_is_cut_and_said(store):
    # C4, C5.2
    record = await recorded(store, found(*["line"] * (MAX_ITEMS + 1)), max_bytes=1_000_000)
    assert [item["id"] for item in record["evidence"]] == [f"e{n}" for n in range(1, MAX_ITEMS + 1)]
    assert record["truncated"] is True


async def test_a_long_source_is_cut_and_a_long_text_fits_the_observation(store):
    # C5.2: bounded before store, checkpoint and model
    answer = ToolResult([Evidence("s" * (MAX_SOURCE_CHARS + 1), "长" * 100_000)])
    record = await recorded(store, answer, max_bytes=2_000)
    (item,) = record["evidence"]
    assert item["source"] == "s" * MAX_SOURCE_CHARS
    assert record["bytes"] == len(item["text"].encode())
    assert 1_000 < record["bytes"] < 2_000
    assert record["truncated"] is True


async def test_lone_surrogates_do_not_get_past_the_boundary(store):
    # C5.2: every store and provider can spell the record
    record = await recorded(store, ToolResult([Evidence("a\udcff", "b\ud800c")]))
    assert record["evidence"] == [{"id": "e1", "source": "a?", "text": "b?c"}]


@pytest.mark.parametrize(
    ("answer", "code", "retryable"),
    [
        (ToolFailure("SOURCE_DOWN", retryable=True), "SOURCE_DOWN", True),
        (ToolFailure("A" * 64, retryable=False), "A" * 64, False),
        (ToolFailure("A" * 65, retryable=True), "TOOL_FAILED", True),
        (ToolFailure("source_down", retryable=False), "TOOL_FAILED", False),
        (ToolFailure("SOURCE_DOWN\n", retryable=False), "TOOL_FAILED", False),
        (ToolFailure("1ST", retryable=False), "TOOL_FAILED", False),
        (ToolFailure("", retryable=False), "TOOL_FAILED", False),
        (ToolFailure("mysql://user:secret@db", retryable=False), "TOOL_FAILED", False),
        (ToolFailure(None, retryable="yes"), "TOOL_FAILED", False),
        (ToolFailure(b"CODE", retryable=1), "TOOL_FAILED", False),
        (RuntimeError("secret"), "TOOL_FAILED", False),
        (ExceptionGroup("secret", [OSError("secret")]), "TOOL_FAILED", False),
        (TimeoutError("secret"), "TOOL_TIMEOUT", True),
        (asyncio.CancelledError("secret"), "TOOL_FAILED", False),
        (None, "TOOL_FAILED", False),
        ({"evidence": []}, "TOOL_FAILED", False),
        (ToolResult(None), "TOOL_FAILED", False),
        (ToolResult([None]), "TOOL_FAILED", False),
        (ToolResult([Evidence("a", None)]), "TOOL_FAILED", False),
        (ToolResult([Evidence(None, "a")]), "TOOL_FAILED", False),
        (ToolResult(iter([])), "TOOL_FAILED", False),
    ],
    ids=repr,
)
async def test_what_is_no_result_is_a_code(store, answer, code, retryable):
    # C5.1: neither evidence nor emptiness, and no text of an exception
    record = await recorded(store, answer)
    assert (record["status"], record["error_code"]) == ("ERROR", code)
    assert record["retryable"] is retryable
    assert (record["evidence"], record["evidence_status"]) == ([], None)
    assert record["finished_at"] == NOW
    assert record["failures"] == 1
    assert "secret" not in repr(record)


async def test_a_request_that_makes_no_sense_does_not_run(store):
    # C2.2: its failure is the tool's own, with a record of its own
    tool = KeywordSource()
    call = invocation(tool)
    failure = ToolFailure("WINDOW_REVERSED", retryable=False)
    refused = PreparedRequest(
        call.prepared.request, call.prepared.scope, call.prepared.scope_key, failure
    )
    outcome = await boundary(store).invoke(invocation(tool, prepared=refused))
    assert outcome.record["error_code"] == "WINDOW_REVERSED"
    assert tool.runs == []
