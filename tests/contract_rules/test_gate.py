"""The rules of the gate in their order, each in the shortest run that shows it (C3.2-C3.6)."""

import pytest

from graph.contract.gate import decide
from graph.contract.verdict import Admit, Decision, Turn
from tests.contract_rules.oracle import (
    BUDGET,
    EMPTY,
    FAILED,
    GAINED,
    NO_GAIN,
    READY,
    SATURATED,
    VIOLATED,
    Ask,
)
from tests.contract_rules.plays import A, B, C, begin, counters, one, say
from tests.contract_rules.world import request


@pytest.mark.parametrize("tolerance", [1, 2, 3, 6])
def test_violations_in_a_row_stop_at_their_threshold(tolerance: int) -> None:
    # C3.2
    world = begin(tolerance=tolerance)
    for number in range(1, tolerance):
        world = one(world, Ask(f"{number}", A, has_input=False))
        assert world.verdict == ("REPAIR", "MISSING_INPUT", None, number)
    world = one(world, Ask("last", A, has_input=False))
    assert world.verdict == ("STOP", VIOLATED, "MISSING_INPUT")
    assert world.progress["collection_state"] == "COLLECTING"
    assert world.deliveries == 1


def test_a_violation_leaves_the_pending_evaluation_and_discards_the_one_it_carries() -> None:
    # C3.2 C2.2: violations never count as NO_GAIN
    world = one(begin(1, 9), Ask("1", A))
    world = one(world, Ask("2", None, ("1", NO_GAIN)))
    assert world.verdict == ("REPAIR", "INVALID_INPUT", "1", 1)
    assert counters(world) == (0, 1, "1")
    assert world.turn == Turn(closed=True)
    assert one(world, Ask("3", B)).verdict == ("REPAIR", "MISSING_PREVIOUS_OBSERVATION", "1", 2)
    assert one(world, Ask("3", B, ("1", GAINED))).verdict == ("ADMIT", B)


@pytest.mark.parametrize(
    ("ask", "word"),
    [
        (Ask("9", C), "ADMIT"),
        (Ask("9", A), "DUPLICATE"),
        (Ask("9", B), "KNOWN_FAILURE"),
        (Ask("9", C, room=False), "END"),
    ],
)
def test_any_request_that_keeps_the_protocol_resets_the_violations(ask: Ask, word: str) -> None:
    # C3.2: consecutive means in a row
    world = begin(9, 3).message().call(Ask("1", A), EMPTY)
    world = world.call(Ask("2", B), FAILED).call(Ask("3", B), FAILED)
    world = one(one(world, Ask("4", None)), Ask("5", None))
    assert counters(world)[1] == 2
    world = one(world, ask, FAILED)
    assert (world.verdict[0], counters(world)[1]) == (word, 0)


def test_gained_resets_and_no_gain_counts() -> None:
    # C3.3
    world = one(one(begin(3), Ask("1", A), EMPTY), Ask("2", B), READY)
    assert counters(world) == (1, 0, "2")
    assert counters(one(world, Ask("3", C, ("2", NO_GAIN)))) == (2, 0, "3")
    assert counters(one(world, Ask("3", C, ("2", GAINED)))) == (0, 0, "3")
    assert counters(one(world, Ask("3", C, ("2", GAINED)), EMPTY)) == (1, 0, None)


def test_an_evaluation_that_saturates_keeps_its_tool_from_running() -> None:
    # C3.3
    world = one(one(begin(2), Ask("1", A)), Ask("2", B, ("1", NO_GAIN)))
    world = one(world, Ask("3", C, ("2", NO_GAIN)))
    assert world.verdict == ("STOP", SATURATED, None)
    assert [scope for scope, _ in world.executions] == [A, B]
    assert world.progress["collection_state"] == "SATURATED"
    assert counters(world) == (2, 0, None)


def test_a_saturating_evaluation_comes_before_duplicate_failure_and_budget() -> None:
    # C3.3: the order of the gate
    world = one(one(begin(2), Ask("1", A), EMPTY), Ask("2", B))
    for scope in (A, B, C):
        for room in (True, False):
            stopped = one(world, Ask("3", scope, say(world, NO_GAIN), room=room))
            assert stopped.verdict == ("STOP", SATURATED, None)
            assert stopped.progress["consecutive_no_gain"] == 2


@pytest.mark.parametrize(("outcome", "empty"), [(READY, False), (EMPTY, True)])
def test_a_completed_scope_is_named_not_run_again(outcome: str, empty: bool) -> None:
    # C3.4: NO_GAIN by the harness, no second canonical record
    world = one(begin(9), Ask("1", A), outcome)
    says = say(world, GAINED) if outcome == READY else None
    again = one(world, Ask("2", A, says))
    assert again.verdict == ("DUPLICATE", "1", empty)
    assert again.progress["completed"] == {A: "1"}
    assert again.progress["invocation_keys"] == world.progress["invocation_keys"]
    assert again.progress["consecutive_no_gain"] == (2 if empty else 1)


def test_a_repeat_at_the_threshold_saturates() -> None:
    # C3.4
    world = one(one(begin(2), Ask("1", A), EMPTY), Ask("2", A))
    assert world.verdict == ("STOP", SATURATED, None)
    assert len(world.executions) == 1


def test_both_judgements_of_one_request_are_reported_in_order() -> None:
    # C3.3 C3.4 C7: of the observation by the model, of the repeat by the harness
    world = one(begin(9), Ask("1", A))
    decision = decide(
        world.progress, request(Ask("2", A, ("1", NO_GAIN))), tool_allowed=True, turn=Turn()
    )
    assert [
        (gain.tool_call_id, gain.gain, gain.by, gain.consecutive_no_gain, gain.collection_state)
        for gain in decision.judged
    ] == [
        ("1", "NO_GAIN", "MODEL", 1, "COLLECTING"),
        ("2", "NO_GAIN", "HARNESS", 2, "COLLECTING"),
    ]


def test_no_room_for_a_tool_goes_straight_to_release() -> None:
    # C3.5: what the last allowed call brought is still judged
    world = one(one(begin(3), Ask("1", A), EMPTY), Ask("2", B))
    over = one(world, Ask("3", C, ("2", GAINED), room=False))
    assert (over.verdict, over.at) == (("END", BUDGET), "OVER")
    assert counters(over) == (0, 0, None)
    assert over.progress["stop_reason"] == BUDGET
    assert over.progress["collection_state"] == "COLLECTING"
    assert over.deliveries == 0


def test_what_needs_no_tool_needs_no_room() -> None:
    # C3.4 C3.5: the order of the gate
    world = begin(9).message().call(Ask("1", A), EMPTY)
    world = world.call(Ask("2", B), FAILED).call(Ask("3", B), FAILED)
    assert world.call(Ask("4", A, room=False)).verdict == ("DUPLICATE", "1", True)
    assert world.call(Ask("4", B, room=False)).verdict == ("KNOWN_FAILURE", B)


def test_an_admitted_request_is_told_its_scope() -> None:
    # C3.6
    world = one(one(begin(), Ask("1", A)), Ask("2", B, ("1", GAINED)))
    assert world.verdict == ("ADMIT", B)
    decision = decide(begin().progress, request(Ask("1", A)), tool_allowed=True)
    assert decision == Decision(Admit(A), ({"kind": "REQUEST_ACCEPTED"},), (), Turn())
