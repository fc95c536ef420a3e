"""Attempts of every kind that small models make: what one repair makes of each (C2, C3.2, C4)."""

from pathlib import Path
from typing import Any

import pytest

from tests.wire.provider import Provider
from tests.wire.replay import Verdict, attempts, replayed, table

RECORDED = attempts(Path(__file__).parent / "attempts.jsonl")


@pytest.mark.parametrize("attempt", RECORDED, ids=[attempt["model"] for attempt in RECORDED])
async def test_an_attempt_ends_as_its_line_says(
    attempt: dict[str, Any], provider: Provider
) -> None:
    assert await replayed(provider, attempt) == attempt["verdict"]


def test_the_figures_are_counted_for_each_model() -> None:
    verdicts = [Verdict.TEXT, Verdict.RECOVERED, Verdict.RECOVERED]
    assert table(["a", "a", "b"], verdicts).splitlines() == [
        "3 attempts",
        "   2 recovered after one repair (a 1, b 1)",
        "   1 text in place of a request (a 1)",
    ]
