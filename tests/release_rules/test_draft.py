"""What counts as a draft (api.md, "What the model says")."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release import draft as limits
from release.draft import parse_draft
from tests.release_rules.records import draft_data, draft_text, patient

ENVELOPE = {
    "previous_observation": {"tool_call_id": "call-1", "information_gain": "GAINED"},
    "input": {"query": "x"},
}


def parsed(**data):
    return parse_draft(json.dumps(data))


def test_a_whole_draft_is_read_as_it_stands():
    data = draft_data(
        limitations={"missing_info": ["time"], "notes": ["n"]}, next_steps=["renew the token"]
    )
    draft = parse_draft(json.dumps(data))
    assert draft is not None
    assert draft.model_dump() == data
    assert draft.missing_info == ["time"]
    assert draft.suggestions == ["renew the token"]


def test_everything_but_the_conclusion_may_be_absent_or_null():
    bare = parsed(conclusion=None)
    assert bare is not None
    assert bare == parsed(conclusion=None, analysis=None, limitations=None, next_steps=None)
    assert bare == parsed(conclusion=None, limitations={"missing_info": None, "notes": None})
    assert (bare.analysis, bare.missing_info, bare.suggestions) == ([], [], [])
    assert bare.limitations.notes == []


def test_a_citation_without_its_parts_is_left_to_the_guard():
    draft = parsed(conclusion="x", analysis=[{"citations": [{}]}, {"citations": None}])
    assert draft is not None
    assert draft.analysis[0].statement == ""
    first = draft.analysis[0].citations[0]
    assert (first.tool_call_id, first.evidence_id, first.quote) == ("", "", "")
    assert draft.analysis[1].citations == []


@pytest.mark.parametrize("blank", ["", " ", "\n\t\u3000"])
def test_a_blank_conclusion_is_null(blank):
    draft = parsed(conclusion=blank)
    assert draft is not None
    assert draft.conclusion is None


def test_a_conclusion_is_kept_as_written():
    draft = parsed(conclusion=" x \n")
    assert draft is not None
    assert draft.conclusion == " x \n"


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"analysis": [], "limitations": {"missing_info": ["time"]}},
        ENVELOPE,
        {"name": "search", "arguments": ENVELOPE},
        {"conclusion": 1},
        {"conclusion": True},
        {"conclusion": ["x"]},
        {"conclusion": {"text": "x"}},
        {"conclusion": "x", "analysis": "x"},
        {"conclusion": "x", "analysis": ["x"]},
        {"conclusion": "x", "analysis": [{"citations": "x"}]},
        {"conclusion": "x", "analysis": [{"citations": [{"tool_call_id": 1}]}]},
        {"conclusion": "x", "analysis": [{"citations": [{"quote": None}]}]},
        {"conclusion": None, "limitations": ["time"]},
        {"conclusion": None, "limitations": {"missing_info": "time"}},
        {"conclusion": None, "limitations": {"missing_info": [1]}},
        {"conclusion": None, "next_steps": [{}]},
    ],
)
def test_no_draft(data):
    # C6: no valid draft
    assert parse_draft(json.dumps(data)) is None


def test_no_draft_in_prose_or_in_a_call_written_as_text():
    # C6; xagent 1312: never SUCCESS
    text = draft_text()
    assert parse_draft(text) is not None
    assert parse_draft(f"The answer: {text}") is None
    assert parse_draft(f"<tool_call>{text}</tool_call>") is None
    assert parse_draft(f"<think>{text}</think>") is None


def test_unknown_keys_are_dropped():
    draft = parsed(conclusion=None, confidence=0.9, limitations={"other": 1})
    assert draft is not None
    assert "confidence" not in draft.model_dump()


LONGEST = [
    ("conclusion", limits.MAX_CONCLUSION_CHARACTERS, lambda n: {"conclusion": "x" * n}),
    (
        "statement",
        limits.MAX_STATEMENT_CHARACTERS,
        lambda n: {"conclusion": "x", "analysis": [{"statement": "x" * n}]},
    ),
    (
        "quote",
        limits.MAX_QUOTE_CHARACTERS,
        lambda n: {"conclusion": "x", "analysis": [{"citations": [{"quote": "x" * n}]}]},
    ),
    (
        "tool call id",
        limits.MAX_ID_CHARACTERS,
        lambda n: {"conclusion": "x", "analysis": [{"citations": [{"tool_call_id": "x" * n}]}]},
    ),
    (
        "evidence id",
        limits.MAX_ID_CHARACTERS,
        lambda n: {"conclusion": "x", "analysis": [{"citations": [{"evidence_id": "x" * n}]}]},
    ),
    (
        "claims",
        limits.MAX_CLAIMS,
        lambda n: {"conclusion": "x", "analysis": [{"statement": "x"}] * n},
    ),
    (
        "citations",
        limits.MAX_CITATIONS_PER_CLAIM,
        lambda n: {"conclusion": "x", "analysis": [{"citations": [{}] * n}]},
    ),
]


@pytest.mark.parametrize(
    ("maximum", "data"), [case[1:] for case in LONGEST], ids=[c[0] for c in LONGEST]
)
def test_what_decides_is_never_cut(maximum, data):
    # a draft over a limit is no draft
    assert parsed(**data(maximum)) is not None
    assert parsed(**data(maximum + 1)) is None


def test_what_is_only_shown_is_cut_blank_free_and_on_one_line():
    # C6.3: bounded
    items = [
        "",
        " a\n b\x1b[2J ",
        "x" * (limits.MAX_SHOWN_ITEM_CHARACTERS + 1),
        *map(str, range(20)),
    ]
    draft = parsed(conclusion=None, limitations={"missing_info": items}, next_steps=items)
    assert draft is not None
    assert draft.missing_info == draft.suggestions
    assert draft.missing_info[:3] == [
        "a b\\x1b[2J",
        "x" * (limits.MAX_SHOWN_ITEM_CHARACTERS - 1) + "…",
        "0",
    ]
    assert len(draft.missing_info) == limits.MAX_SHOWN_ITEMS


def test_lone_surrogates_are_replaced_and_pairs_are_kept():
    draft = parse_draft('{"conclusion": "a\\ud800b\\ud83d\\ude00", "next_steps": ["\\udfff"]}')
    assert draft is not None
    assert draft.conclusion == "a\ufffdb\U0001f600"
    assert draft.suggestions == ["\ufffd"]
    raw = parse_draft('{"conclusion": "a\ud800b"}')
    assert raw is not None
    assert raw.conclusion == "a\ufffdb"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@patient
@given(st.text(st.characters(codec=None)))
def test_arbitrary_text_never_raises(text):
    parse_draft(text)


@patient
@given(
    st.fixed_dictionaries(
        {"conclusion": json_values},
        optional={"analysis": json_values, "limitations": json_values, "next_steps": json_values},
    )
)
def test_arbitrary_values_never_raise_and_come_out_as_valid_unicode(data):
    draft = parse_draft(json.dumps(data))
    if draft is not None:
        draft.model_dump_json().encode("utf-8")
        assert draft.conclusion is None or draft.conclusion.strip()
