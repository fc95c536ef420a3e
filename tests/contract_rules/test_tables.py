"""The order of the two tables of the gate matters, row by row (C2.2, C3)."""

from collections.abc import Iterator

import pytest

from graph.contract import gate
from tests.contract_rules.exploration import Exploration
from tests.contract_rules.world import World

DEPTH = 4
NEVER_TOGETHER = {
    # STOP_REQUIRED answers the rest of its message, so no call of a closed one meets it
    ("stop", "message is closed"),
    # a completed scope never runs again, so it cannot fail a second time
    ("duplicate scope", "known failure"),
    # something is pending or nothing is; the evaluation is there or it is not
    ("MISSING_PREVIOUS_OBSERVATION", "OUT_OF_ORDER_PREVIOUS_OBSERVATION"),
    ("OUT_OF_ORDER_PREVIOUS_OBSERVATION", "UNEXPECTED_PREVIOUS_OBSERVATION"),
}


def broken_tables() -> Iterator[pytest.param]:  # type: ignore[valid-type]
    """Each row left out, and each two neighbours swapped unless no request meets both."""
    for table in ("RULES", "_VIOLATIONS"):
        rows = getattr(gate, table)
        for place, row in enumerate(rows):
            yield pytest.param(table, rows[:place] + rows[place + 1 :], id=f"without {row[0]}")
            pair = rows[place : place + 2]
            if len(pair) == 2 and (pair[0][0], pair[1][0]) not in NEVER_TOGETHER:
                swapped = rows[:place] + pair[::-1] + rows[place + 2 :]
                yield pytest.param(table, swapped, id=f"{pair[1][0]} before {pair[0][0]}")


def test_a_short_exploration_agrees_with_the_tables_as_they_are() -> None:
    # C2.2 C3
    assert Exploration().run(World.begin(2, 2), DEPTH).steps > 1_000


@pytest.mark.parametrize(("table", "rows"), list(broken_tables()))
def test_a_broken_table_is_noticed(
    table: str, rows: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    # C2.2 C3: the order of the rules is the contract's
    monkeypatch.setattr(gate, table, rows)
    with pytest.raises(AssertionError):
        Exploration().run(World.begin(2, 2), DEPTH)


@pytest.mark.parametrize("tries", [1, 3])
def test_another_number_of_tries_is_noticed(tries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # C3 technical failure: two tries a scope, no more and no less
    monkeypatch.setattr(gate, "MAX_FAILURES_A_SCOPE", tries)
    with pytest.raises(AssertionError):
        Exploration().run(World.begin(2, 2), DEPTH)
