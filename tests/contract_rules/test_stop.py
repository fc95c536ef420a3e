"""When a run stops, that it stops once, and that nothing else stops it (C3.1, C3.8, C3.9)."""

import pytest

from graph.contract.gate import decide
from graph.contract.progress import Progress
from graph.contract.verdict import Decision, End, Stop
from graph.contract.vocabulary import StopReason
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
from tests.contract_rules.plays import A, B, begin, counters, defective, one, say
from tests.contract_rules.world import request


@pytest.mark.parametrize("says", [None, ("1", GAINED), ("0", NO_GAIN)])
@pytest.mark.parametrize("defect", ["none", "known_tool", "readable", "has_input"])
def test_after_a_delivered_stop_every_request_ends_the_run(
    says: tuple[str, str] | None, defect: str
) -> None:
    # C3.1: no tool, no violation counted, the reason kept
    stopped = one(begin(1), Ask("1", A), EMPTY)
    ask = defective(Ask("9", B, says), defect)
    over = one(stopped, ask)
    assert (over.verdict, over.at) == (("END", SATURATED), "OVER")
    assert over.progress == stopped.progress


def test_a_stop_for_violations_also_ends_the_run_with_its_own_reason() -> None:
    # C3.1
    stopped = one(begin(tolerance=1), Ask("1", None))
    assert stopped.verdict == ("STOP", VIOLATED, "INVALID_INPUT")
    assert one(stopped, Ask("2", A)).verdict == ("END", VIOLATED)


def test_a_stop_that_is_set_but_not_yet_delivered_is_delivered_not_overrun() -> None:
    # C3.1 C3.3: whoever asks the gate after saturation, no tool runs
    for stopped in (one(begin(1), Ask("1", A), EMPTY), one(begin(tolerance=1), Ask("1", None))):
        due = Progress(**{**stopped.progress, "stop_delivered": False})
        decision = decide(due, request(Ask("2", B)), tool_allowed=True)
        assert decision == Decision(Stop(StopReason(str(due["stop_reason"]))))


def test_a_budget_stop_goes_to_release_however_often_the_gate_is_asked() -> None:
    # C3.1 C3.5
    over = one(begin(), Ask("1", A, room=False))
    for room in (True, False):
        again = decide(over.progress, request(Ask("2", B)), tool_allowed=room)
        assert again == Decision(End(StopReason.BUDGET_LIMIT_REACHED))


def test_an_empty_result_saturates_at_once_and_carries_the_stop() -> None:
    # C3.9: no model round is spent to deliver it
    world = one(begin(1), Ask("1", A), EMPTY)
    assert (world.deliveries, world.progress["stop_reason"]) == (1, SATURATED)
    assert counters(world) == (1, 0, None)


def test_a_failure_is_no_information_and_may_be_tried_once_more() -> None:
    # C3 technical failure
    world = one(one(begin(1), Ask("1", A), FAILED), Ask("2", A), FAILED)
    assert counters(world) == (0, 0, None)
    assert world.progress["failures"] == {A: 2}
    for number in range(5):
        world = one(world, Ask(f"again {number}", A))
        assert world.verdict == ("KNOWN_FAILURE", A)
    assert world.executions == ((A, FAILED), (A, FAILED))
    assert world.progress["completed"] == {}


def test_a_scope_that_succeeds_at_the_second_try_is_completed() -> None:
    # C3 technical failure, C3.4
    world = one(one(begin(9), Ask("1", A), FAILED), Ask("2", A), READY)
    assert world.progress["completed"] == {A: "2"}
    assert one(world, Ask("3", A, ("2", GAINED))).verdict == ("DUPLICATE", "2", False)


@pytest.mark.parametrize("patience", [1, 2, 3])
def test_a_gaining_run_is_never_cut(patience: int) -> None:
    # C3.8: only the budget can end it
    world = one(begin(patience, 2), Ask("0", "scope 0"))
    for number in range(1, 500):
        ask = Ask(f"{number}", f"scope {number}", say(world, GAINED))
        if number % 3 == 0:
            world = one(world, ask._replace(says=None))
        elif number % 5 == 0 and patience > 1:
            world = one(one(world, ask, EMPTY), Ask(f"{number}+", f"further {number}"))
            continue
        world = one(world, ask)
    assert world.progress["stop_reason"] is None
    assert world.progress["collection_state"] == "COLLECTING"
    assert len(world.progress["completed"]) >= 500
    assert one(world, Ask("end", "more", say(world, GAINED), room=False)).verdict == ("END", BUDGET)


def test_stop_required_is_delivered_once_and_the_first_reason_wins() -> None:
    # C3.9
    stopped = one(one(begin(2, 1), Ask("1", A), EMPTY), Ask("2", None))
    assert (stopped.deliveries, stopped.progress["stop_reason"]) == (1, VIOLATED)
    over = one(stopped, Ask("3", B), EMPTY)
    assert (over.deliveries, over.at) == (1, "OVER")
    assert over.progress["stop_reason"] == VIOLATED
    assert over.progress["collection_state"] == "COLLECTING"
