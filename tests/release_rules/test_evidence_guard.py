"""Which citations hold (C6.2), and what happens to false ones (C6.1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.draft import Citation
from release.evidence_guard import (
    GuardCode,
    GuardReport,
    check_evidence,
    citation_code,
    cited_evidence,
    drop_false_citations,
)
from tests.release_rules.records import (
    LINE,
    citation,
    draft,
    empty,
    knowledge,
    patient,
    record,
    snapshot,
)

HELD = snapshot(record("a"), empty("b"), knowledge("k"))


def codes(*citations, held=HELD):
    return check_evidence(draft(citations=list(citations)), held).codes


def test_true_citations_pass():
    # C6.2
    report = check_evidence(draft(), HELD)
    assert report == GuardReport(passed=True, codes=())


@pytest.mark.parametrize(
    ("cited", "code"),
    [
        (citation("z"), "UNKNOWN_TOOL_CALL"),
        (citation("a") | {"tool_call_id": ""}, "UNKNOWN_TOOL_CALL"),
        (citation("a") | {"tool_call_id": "a"}, "UNKNOWN_TOOL_CALL"),
        (citation("a") | {"tool_call_id": "CALL-A"}, "UNKNOWN_TOOL_CALL"),
        (citation("a", "e2"), "UNKNOWN_EVIDENCE"),
        (citation("a", "1"), "UNKNOWN_EVIDENCE"),
        (citation("a", ""), "UNKNOWN_EVIDENCE"),
        (citation("b"), "UNKNOWN_EVIDENCE"),
        (citation("a", quote="Tenant switch failed"), "QUOTE_NOT_IN_EVIDENCE"),
        (citation("a", quote="tenant  switch failed"), "QUOTE_NOT_IN_EVIDENCE"),
        (citation("a", quote="tenant switch … 令牌过期"), "QUOTE_NOT_IN_EVIDENCE"),
        (citation("a", quote=LINE + "."), "QUOTE_NOT_IN_EVIDENCE"),
        (citation("k", quote="tenant switch failed"), "QUOTE_NOT_IN_EVIDENCE"),
        (citation("a", quote=""), "QUOTE_TOO_SHORT"),
        (citation("a", quote="switch "), "QUOTE_TOO_SHORT"),
        (citation("a", quote="令牌"), "QUOTE_TOO_SHORT"),
    ],
)
def test_a_false_citation_is_named_and_never_guessed_right(cited, code):
    # C6.2; OpenContracts 2189: real id, invented quote
    assert codes(citation(), cited) == (code,)
    assert codes(cited) == (code, "NO_FACTUAL_SOURCE")


@pytest.mark.parametrize("quote", ["switch f", "令牌过", LINE])
def test_eight_bytes_of_utf8_are_enough(quote):
    # C6.2: 8 ASCII characters, or three Chinese ones
    assert codes(citation(quote=quote)) == ()


def test_a_short_evidence_may_be_quoted_whole():
    # C6.2
    held = snapshot(record("a", evidence=[{"id": "e1", "source": "t", "text": "OOM"}]))
    assert codes(citation(quote="OOM"), held=held) == ()
    assert codes(citation(quote="OO"), held=held) == ("QUOTE_TOO_SHORT", "NO_FACTUAL_SOURCE")


@pytest.mark.parametrize("text", ["", " ", " " * 12])
def test_blank_text_quotes_nothing(text):
    held = snapshot(record("a", evidence=[{"id": "e1", "source": "t", "text": text}]))
    assert codes(citation(quote=text), held=held) == ("QUOTE_TOO_SHORT", "NO_FACTUAL_SOURCE")


def test_quotes_are_looked_for_in_the_cited_evidence_only():
    # C6.2
    items = [
        {"id": "e1", "source": "t:1", "text": "first line of it"},
        {"id": "e2", "source": "t:2", "text": "second line of it"},
    ]
    held = snapshot(record("a", evidence=items))
    assert codes(citation(evidence_id="e2", quote="second line"), held=held) == ()
    assert "QUOTE_NOT_IN_EVIDENCE" in codes(citation(quote="second line"), held=held)
    assert cited_evidence(Citation(tool_call_id="call-a", evidence_id="e2"), held) == items[1]
    assert cited_evidence(Citation(tool_call_id="call-a", evidence_id="e3"), held) is None
    assert cited_evidence(Citation(tool_call_id="call-x", evidence_id="e1"), held) is None


@pytest.mark.parametrize(
    "stored",
    [record("a", run_id="run-2"), record("a", status="ERROR"), record("a", status="STARTED")],
)
def test_only_ready_records_of_this_run_can_be_cited(stored):
    # C6.2; deepagents 4662: an error cannot be cited
    assert codes(citation(), held=snapshot(stored)) == ("UNKNOWN_TOOL_CALL", "NO_FACTUAL_SOURCE")


@pytest.mark.parametrize("level", ["REFERENCE", "DIRECT", None])
def test_knowledge_alone_never_supports_a_cause(level):
    # C6.2: direct or reference
    held = snapshot(record("a"), knowledge("k") | {"relevance_level": level})
    told = citation("k", quote="Tokens expire")
    assert codes(told, held=held) == ("NO_FACTUAL_SOURCE",)
    assert codes(told, citation("a"), held=held) == ()


def test_a_false_citation_of_a_factual_source_does_not_make_it_factual():
    # C6.2
    told = citation("k", quote="Tokens expire")
    false = citation("a", quote="never in there")
    assert codes(told, false) == ("QUOTE_NOT_IN_EVIDENCE", "NO_FACTUAL_SOURCE")


def test_a_conclusion_needs_a_claim():
    # C6.2: at least one claim
    report = check_evidence(draft(analysis=[]), HELD)
    assert report == GuardReport(False, ("NO_CLAIM", "NO_FACTUAL_SOURCE"))


def test_each_claim_needs_a_citation():
    # C6.2
    claims = [
        {"statement": "x", "citations": [citation()]},
        {"statement": "y", "citations": []},
    ]
    assert check_evidence(draft(analysis=claims), HELD).codes == ("CLAIM_WITHOUT_CITATION",)


@pytest.mark.parametrize("statement", ["", " \n"])
def test_a_claim_says_something(statement):
    claims = [{"statement": statement, "citations": [citation()]}]
    assert check_evidence(draft(analysis=claims), HELD).codes == ("EMPTY_STATEMENT",)


def test_codes_are_distinct_and_in_one_order():
    claims = [
        {"statement": "x", "citations": [citation(quote="no"), citation("z"), citation("z")]},
        {"statement": "y", "citations": []},
    ]
    report = check_evidence(draft(analysis=claims), HELD)
    assert report.codes == (
        "CLAIM_WITHOUT_CITATION",
        "UNKNOWN_TOOL_CALL",
        "QUOTE_NOT_IN_EVIDENCE",
        "NO_FACTUAL_SOURCE",
    )
    assert all(type(code) is str for code in report.codes)


def test_a_null_conclusion_owes_no_proof():
    # C6.1; the nine events of C7.1 hold a guard that passed
    for claims in ([], [{"statement": "", "citations": []}]):
        assert check_evidence(draft(None, analysis=claims), HELD) == GuardReport(True, ())
    told = [citation("k", quote="Tokens expire")]
    assert check_evidence(draft(None, citations=told), HELD).passed


def test_false_citations_of_a_null_conclusion_are_reported():
    # C6.1
    report = check_evidence(draft(None, citations=[citation(), citation("z")]), HELD)
    assert report == GuardReport(False, ("UNKNOWN_TOOL_CALL",))


def test_false_citations_are_dropped_and_nothing_else():
    # C6.1
    false = [citation("z"), citation("a", "e9"), citation(quote="no")]
    mixed = draft(None, citations=[false[0], citation(), *false[1:]], next_steps=["x"])
    assert drop_false_citations(mixed, HELD) == draft(
        None, citations=[citation()], next_steps=["x"]
    )
    true = draft(None, citations=[citation()])
    assert drop_false_citations(true, HELD) == true


@patient
@given(
    text=st.text(st.characters(codec="utf-8"), max_size=24),
    start=st.integers(0, 24),
    end=st.integers(0, 24),
    other=st.text(st.characters(codec="utf-8"), max_size=12),
    verbatim=st.booleans(),
)
def test_a_quote_holds_iff_verbatim_and_long_enough_or_whole(text, start, end, other, verbatim):
    # C6.2
    quote = text[start:end] if verbatim else other
    held = snapshot(record("a", evidence=[{"id": "e1", "source": "t", "text": text}]))
    code = citation_code(Citation.model_validate(citation(quote=quote)), held)
    stands = any(text.startswith(quote, at) for at in range(len(text) + 1))
    enough = sum(len(c.encode()) for c in quote) > 7 or len(quote) == len(text)
    says = any(not c.isspace() for c in quote)
    if not stands:
        assert code is GuardCode.QUOTE_NOT_IN_EVIDENCE
    else:
        assert code is (None if enough and says else GuardCode.QUOTE_TOO_SHORT)
