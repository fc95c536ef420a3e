"""Trace events hold their own allow-listed fields and nothing else (C7)."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.audit.events import (
    EVENT_FIELDS,
    RefusedEventError,
    TraceEvent,
    make_event,
    pack_event,
    safe_id,
    unpack_event,
)
from graph.audit.tokens import audited_tokens, count_events, tokens_reconciled

STOP = {"reason": "INFORMATION_SATURATED"}


def test_event_carries_its_fields_in_sequence() -> None:
    event = make_event("STOP_REQUIRED", STOP, seq=3, at="2026-01-01T00:00:00+00:00")
    assert event == {
        "seq": 3,
        "type": "STOP_REQUIRED",
        "at": "2026-01-01T00:00:00+00:00",
        "reason": "INFORMATION_SATURATED",
    }


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("PROMPT", {}),
        ("STOP_REQUIRED", {}),
        ("STOP_REQUIRED", {**STOP, "prompt": "text"}),
        ("STOP_REQUIRED", {"reason": "two words of text"}),
        ("STOP_REQUIRED", {"reason": ""}),
        ("STOP_REQUIRED", {"reason": "A" * 65}),
        ("STOP_REQUIRED", {"reason": None}),
        ("ROUTING_ATTEMPT", {"round": -1}),
        ("ROUTING_ATTEMPT", {"round": True}),
        ("ROUTING_ATTEMPT", {"round": "1"}),
        ("EVIDENCE_REPAIR", {"readable": 1}),
        ("EVIDENCE_GUARD_INITIAL", {"passed": True, "codes": ["free text"]}),
    ],
)
def test_anything_else_is_refused(kind: str, fields: dict[str, Any]) -> None:
    with pytest.raises(RefusedEventError):
        make_event(kind, fields, seq=1, at="now")


@given(
    st.sampled_from(sorted(EVENT_FIELDS)),
    st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)),
)
def test_an_event_comes_back_from_a_checkpoint_as_it_was(kind: str, moment: datetime) -> None:
    # C7: to the millisecond, every field, numbered by its place
    at = moment.replace(tzinfo=UTC).isoformat(timespec="milliseconds")
    fields = {name: f"value of {name}" for name in EVENT_FIELDS[kind]}
    event: Any = {"seq": 7, "type": kind, "at": at, **fields}
    assert unpack_event(json.loads(json.dumps(pack_event(event))), seq=7) == event


def test_an_event_of_other_fields_does_not_come_back() -> None:
    # C1.5: the order of the fields is part of the schema version
    with pytest.raises(ValueError, match="zip"):
        unpack_event(["STOP_REQUIRED", 0, "INFORMATION_SATURATED", 1], seq=1)


def test_every_declared_field_is_in_the_state_type() -> None:
    fields = {name for checks in EVENT_FIELDS.values() for name in checks}
    assert fields | {"seq", "type", "at"} == set(TraceEvent.__annotations__)


@given(st.text())
def test_chosen_ids_never_carry_text(value: str) -> None:
    kept = safe_id(value)
    assert safe_id(kept) == kept
    assert kept == value or (kept.startswith("id_") and len(kept) == 19)
    assert len(kept) <= 64


@pytest.mark.parametrize("value", ["call_1", "A-b_9", "x" * 64])
def test_plain_ids_stay(value: str) -> None:
    assert safe_id(value) == value


@pytest.mark.parametrize("value", ["", "x" * 65, "a b", "诊断", "a\n", "call.1"])
def test_other_ids_are_replaced(value: str) -> None:
    assert safe_id(value) != value


def _usage(inputs: int, outputs: int) -> TraceEvent:
    return {"type": "MODEL_TOKEN_USAGE", "input_tokens": inputs, "output_tokens": outputs}


def test_tokens_reconcile_only_when_the_sum_is_the_total_and_all_reported() -> None:  # C7.3
    trace: list[TraceEvent] = [_usage(3, 4), {"type": "STOP_REQUIRED"}, _usage(0, 2)]
    assert audited_tokens(trace) == 9
    assert tokens_reconciled(trace, total_tokens=9, usage_unavailable=0)
    assert not tokens_reconciled(trace, total_tokens=9, usage_unavailable=1)
    assert not tokens_reconciled(trace, total_tokens=8, usage_unavailable=0)
    assert count_events(trace, "MODEL_TOKEN_USAGE") == 2
