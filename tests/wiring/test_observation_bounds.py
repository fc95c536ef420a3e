"""Observations are bounded in bytes of JSON, on whole characters, items in order (C4, C8)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.release_rules.records import patient
from tests.release_rules.records import record as ready_record
from tools.observation import MAX_ITEMS, cut_text, fit_evidence, observation_text, result_view
from tools.scope import canonical_json

LONGEST_ID = "c" * 64
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
HEAVY = st.text(st.sampled_from('a"\\\n\x00\x1f\x7fé行😀\u2028'), max_size=200)


def record(**changes: Any) -> Any:
    """A READY record as `release_rules` makes them, with a plain scope."""
    return ready_record("k", **{"tool_call_id": "k", "scope": {"keyword": "pool"}, **changes})


def evidence(*texts: str, source: str = "a.log:1") -> list[Any]:
    return [{"id": f"e{n}", "source": source, "text": t} for n, t in enumerate(texts, start=1)]


def size(view: Any) -> int:
    return len(observation_text(view).encode())


@patient
@given(
    st.lists(st.tuples(TEXTS | HEAVY, st.text("s行\n", max_size=60)), max_size=5),
    st.integers(256, 900),
    st.dictionaries(st.text("kéy", max_size=9), HEAVY | st.none() | st.integers(), max_size=4),
)
def test_an_observation_is_within_its_bound_and_whole(texts, max_bytes, scope):
    # C8: at most the cap, valid JSON, cut between characters and never inside one
    items = [
        {"id": f"e{n}", "source": source, "text": text}
        for n, (text, source) in enumerate(texts, start=1)
    ]
    given_record = record(
        evidence=items, tool_call_id=LONGEST_ID, scope=scope, relevance_level="REFERENCE"
    )
    view = result_view(given_record, max_bytes=max_bytes)
    shown = json.loads(observation_text(view))
    assert size(view) <= max_bytes
    assert len(shown["evidence"]) <= len(items)
    shown_items = shown["evidence"]
    last = len(shown_items) - 1
    for position, (seen, whole) in enumerate(zip(shown_items, items, strict=False)):
        assert (seen["id"], seen["source"]) == (whole["id"], whole["source"])
        assert whole["text"].startswith(seen["text"])
        assert seen["text"] == whole["text"] or position == last
    assert shown["truncated"] is (shown_items != items)


def test_the_cap_is_used_up_to_the_last_whole_character():
    # C8: one item, 3-byte characters: less than one character of room is left
    view = result_view(record(evidence=evidence("行" * 1_000)), max_bytes=600)
    assert 600 - 4 <= size(view) <= 600
    assert set(view.evidence[0].text) == {"行"}


@pytest.mark.parametrize(
    ("text", "max_bytes", "kept"),
    [
        ("abc", 3, "abc"),
        ("abc", 2, "ab"),
        ("abc", 0, ""),
        ("abc", -5, ""),
        ("", 0, ""),
        ("", -1, ""),
        ("行行", 6, "行行"),
        ("行行", 5, "行"),
        ("行行", 2, ""),
        ("😀a", 4, "😀"),
        ("😀a", 3, ""),
        ('a"b', 4, 'a"b'),
        ('a"b', 3, 'a"'),
        ('a"b', 2, "a"),
        ("\x00\x00", 11, "\x00"),
        ("\n\n", 3, "\n"),
    ],
)
def test_text_is_cut_by_what_its_spelling_takes(text, max_bytes, kept):
    # C8: JSON escapes are counted, characters stay whole
    assert cut_text(text, max_bytes) == kept


@patient
@given(TEXTS | HEAVY, st.integers(0, 300))
def test_the_longest_beginning_that_fits(text, max_bytes):
    # C8
    kept = cut_text(text, max_bytes)
    spelled = [len(canonical_json(text[:n]).encode()) - 2 for n in range(len(text) + 1)]
    assert kept == text[: max(n for n, length in enumerate(spelled) if length <= max_bytes)]


def test_items_fit_to_the_byte():
    # C8: brackets, commas and keys count
    items = evidence("a" * 10, "b" * 10)
    one = len(canonical_json(items[0]).encode()) + 1
    assert fit_evidence(items, 2 * one) == items
    assert fit_evidence(items, 2 * one - 1) == items[:1]
    assert fit_evidence(items, one) == items[:1]
    assert fit_evidence(items, one - 1) == []


def test_a_text_is_cut_only_where_something_readable_remains():
    # C8
    items = evidence("a" * 10, "b" * 100)
    first = len(canonical_json(items[0]).encode()) + 1
    frame = len(canonical_json({**items[1], "text": ""}).encode()) + 1
    assert fit_evidence(items, first + frame + 23) == items[:1]
    kept = fit_evidence(items, first + frame + 24)
    assert kept == [items[0], {**items[1], "text": "b" * 24}]
    assert fit_evidence(items, first + frame + 99)[1]["text"] == "b" * 99
    assert fit_evidence(items, first + frame + 100) == items


def test_nothing_follows_a_cut_item():
    # C4: items stay in order, without a gap
    items = evidence("a" * 100, "", "c")
    frame = len(canonical_json({**items[0], "text": ""}).encode()) + 1
    assert [item["id"] for item in fit_evidence(items, frame + 60)] == ["e1"]


def test_empty_texts_take_room_too():
    # C8: sources alone can fill an observation
    items = evidence(*[""] * 50, source="s" * 300)
    kept = fit_evidence(items, 2_000)
    assert 0 < len(kept) < 7
    assert len(canonical_json(kept).encode()) <= 2_000


def test_items_are_bounded_in_number():
    # C4
    items = evidence(*["x"] * (MAX_ITEMS + 5))
    assert fit_evidence(items, 10**6) == items[:MAX_ITEMS]
