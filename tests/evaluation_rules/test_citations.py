"""Citations are looked up anew in the records; what must be cited is covered by true ones only."""

from typing import Any

import pytest

from graph.evaluation.cases import EvidenceHint
from graph.evaluation.citations import Cited, cited, missing_citations
from tools.invocations import EvidenceItem

LOG = EvidenceItem(id="e1", source="shop/front.log:10-12", text="09:00 ERROR stock-db refused")
ROW = EvidenceItem(id="e2", source="shop: payments, orders", text='{"id": 7, "code": "NO_CREDIT"}')
TEXT = EvidenceItem(id="e3", source="zh/cart.md#Restart", text="restart the cart")


def record(*items: EvidenceItem) -> Any:
    return {"tool_call_id": "c1", "evidence": list(items)}


def claim(evidence_id: str, quote: str, call: str = "c1") -> dict[str, Any]:
    return {"citations": [{"tool_call_id": call, "evidence_id": evidence_id, "quote": quote}]}


@pytest.mark.parametrize(
    ("one", "true"),
    [
        (claim("e1", "stock-db refused"), True),
        (claim("e1", "stock-db crashed"), False),
        (claim("e2", "stock-db refused"), False),
        (claim("e1", "stock-db refused", call="c2"), False),
        (claim("e1", ""), False),
    ],
)
def test_a_quote_must_stand_in_the_record_it_names(one: dict[str, Any], true: bool) -> None:
    assert [found.true for found in cited([one], [record(LOG, ROW)])] == [true]


@pytest.mark.parametrize(
    ("place", "covered"),
    [
        ("logs/shop/front.log:11", True),
        ("logs/shop/front.log:13", False),
        ("logs/shop/front.log:12-20", True),
        ("logs/front.log:11", False),
        ("logs/shop/front.log:1-20 (any line matching evidence.regex)", True),
        ("db/shop.sql#payments.id=7", True),
        ("db/shop.sql#payments.id=8", False),
        ("db/shop.sql#refunds.id=7", False),
        ("knowledge/zh/cart.md", True),
        ("knowledge/zh/other.md", False),
    ],
)
def test_what_must_be_cited(place: str, covered: bool) -> None:
    found = [Cited(item["text"], item) for item in (LOG, ROW, TEXT)]
    hints = [EvidenceHint(file="logs/shop/front.log", regex="stock-db refused")]
    assert missing_citations([place], found, hints) == ([] if covered else [place])


def test_a_line_of_the_range_must_match_the_hint() -> None:
    place = "logs/shop/front.log:1-20 (any line matching evidence.regex)"
    hints = [EvidenceHint(file="logs/shop/front.log", regex="another line")]
    assert missing_citations([place], [Cited(LOG["text"], LOG)], hints) == [place]


def test_a_false_citation_covers_nothing() -> None:
    found = [Cited("never said", LOG)]
    assert missing_citations(["logs/shop/front.log:11"], found, []) == ["logs/shop/front.log:11"]
