"""Every sequence of abstract requests to depth 7 (C2, C3).

The numbers of states, steps and sequences stand in the terminal summary.
"""

import itertools
from collections.abc import Callable

import pytest

from tests.contract_rules.exploration import Exploration
from tests.contract_rules.oracle import BUDGET, SATURATED, VIOLATED
from tests.contract_rules.world import World

DEPTH = 7


@pytest.mark.parametrize(("patience", "tolerance"), list(itertools.product((1, 2, 3), repeat=2)))
def test_gate_and_oracle_agree_on_every_sequence(
    patience: int, tolerance: int, report: Callable[[str], None]
) -> None:
    # C1.1 C2.1 C2.2 C2.3 C2.4 C3.1 C3.2 C3.3 C3.4 C3.5 C3.6 C3.8 C3.9
    found = Exploration().run(World.begin(patience, tolerance), DEPTH)
    report(
        f"thresholds {patience}/{tolerance}, depth {DEPTH}: {len(found.states):,} states, "
        f"{found.steps:,} steps, standing for {found.sequences:,} sequences"
    )
    assert {key[0] for key in found.states} == {None, SATURATED, VIOLATED, BUDGET}
    assert len(found.states) > 500, "the exploration stopped short"
