"""One run against one case: right needs outcome, keywords, true citations, and no ban broken."""

from typing import Any

import pytest

from graph.evaluation.cases import Case, Expected
from graph.evaluation.scoring import Run, Score, score, totals

ITEM = {"id": "e1", "source": "front.log:1", "text": "lost stock-db:5432"}


def case(**expected: Any) -> Case:
    wanted = {"outcome": "SUCCESS", "root_cause_keywords": ["stock.?DB"], **expected}
    return Case(id="A1", query="Why?", expected=Expected(**wanted))


def run(conclusion: str | None = "lost stock-db:5432", quote: str = "lost stock-db") -> Run:
    citation = {"tool_call_id": "c1", "evidence_id": "e1", "source": "front.log:1", "quote": quote}
    release = {
        "outcome": "SUCCESS" if conclusion else "FALLBACK",
        "conclusion": conclusion,
        "analysis": [{"statement": conclusion, "citations": [citation]}] if conclusion else [],
        "fallback": None if conclusion else {"type": "INSUFFICIENT_EVIDENCE"},
        "stop_reason": None,
    }
    state = {
        "release": release,
        "usage": {"tool_calls": 1, "total_tokens": 10},
        "steps": [{}, {}],
        "trace": [{"type": "RUN_FINISHED", "tokens_reconciled": True}],
    }
    record: Any = {"tool_call_id": "c1", "evidence": [ITEM]}
    return Run(state=state, records=[record], seconds=0.5)


def test_right() -> None:
    one = score(case(), run())
    assert (one.right, one.wrong_cause, one.rounds, one.tool_calls) == (True, False, 2, 1)


@pytest.mark.parametrize(
    ("expected", "ran", "wrong_cause"),
    [
        ({"root_cause_keywords": ["cart"]}, run(), True),
        ({"must_not_claim": ["stock-db:5432 is the root cause"]}, run(), True),
        ({"must_not_contain": ["stock-db:5432"]}, run(), True),
        ({"outcome": "FALLBACK", "fallback_type": "INSUFFICIENT_EVIDENCE"}, run(), True),
        ({}, run(quote="never said"), False),
        ({}, run(conclusion=None), False),
    ],
)
def test_not_right(expected: dict[str, Any], ran: Run, wrong_cause: bool) -> None:
    one = score(case(**expected), ran)
    assert (one.right, one.wrong_cause) == (False, wrong_cause)


def test_a_fallback_is_right_by_its_type() -> None:
    wanted = {"outcome": "FALLBACK", "fallback_type": "INSUFFICIENT_EVIDENCE"}
    assert score(case(**wanted, root_cause_keywords=[]), run(conclusion=None)).right


def test_what_must_be_cited_is_counted_but_decides_nothing() -> None:
    one = score(case(must_cite=["logs/front.log:2"]), run())
    assert one.right
    assert one.missing_citations == ["logs/front.log:2"]


def test_totals() -> None:
    scores: list[Score] = [score(case(), run()), score(case(must_not_claim=["any cause"]), run())]
    found = totals(scores)
    assert found["right"] == {"SUCCESS": "1/2"}
    assert found["wrong_causes"] == ["A1"]
    assert found["tokens"] == 20
