"""Forbidden claims: found when every word that carries meaning stands in the conclusion."""

import pytest

from graph.evaluation.claims import claims_made

CONCLUSION = "the failure in the log: cart-service “lost stock-db:5432”; the order was cancelled"


@pytest.mark.parametrize(
    ("description", "made"),
    [
        ("cart-service itself is the root cause", True),
        ("shop-front is the root cause", False),
        ("cart-service deployment is the cause", False),
        ("Order was cancelled", True),
        ("any specific root cause", True),
        ("cart is the cause", True),
    ],
)
def test_claims(description: str, made: bool) -> None:
    assert claims_made(CONCLUSION, [description]) == ([description] if made else [])


def test_a_chinese_conclusion_meets_an_english_description_by_concept() -> None:
    assert claims_made("order 20771 已取消", ["order 20771 was cancelled"])
    assert not claims_made("order 20771 未支付", ["order 20771 was cancelled"])


def test_no_conclusion_claims_nothing() -> None:
    assert claims_made(None, ["any specific root cause"]) == []
