"""Which calls of one message the gate looks at, and what each must say (C2.1, C2.3, C2.4)."""

import pytest

from graph.contract.envelope import Evaluation
from graph.contract.gate import decide
from graph.contract.verdict import Admit, Turn
from graph.contract.vocabulary import InformationGain
from tests.contract_rules.oracle import EMPTY, FAILED, GAINED, NO_GAIN, SATURATED, Ask
from tests.contract_rules.plays import A, B, C, begin, counters, defective, one
from tests.contract_rules.world import request


def test_the_first_request_is_admitted_without_an_evaluation() -> None:
    # C2.1 C3.6
    decision = decide(begin().progress, request(Ask("1", A)), tool_allowed=True)
    assert decision.verdict == Admit(A)
    assert decision.turn == Turn()
    assert decision.judged == ()


def test_an_evaluation_is_required_exactly_while_a_result_is_pending() -> None:
    # C2.1
    world = one(begin(9, 9), Ask("1", A))
    assert counters(world) == (0, 0, "1")
    assert one(world, Ask("2", B)).verdict[1] == "MISSING_PREVIOUS_OBSERVATION"
    for outcome in (EMPTY, FAILED):
        settled = one(world, Ask("2", B, ("1", GAINED)), outcome)
        assert settled.progress["pending"] is None
        assert (
            one(settled, Ask("3", C, ("2", GAINED))).verdict[1] == "UNEXPECTED_PREVIOUS_OBSERVATION"
        )
        assert one(settled, Ask("3", C)).verdict == ("ADMIT", C)


def test_a_draft_needs_no_evaluation() -> None:
    # C2.3: nothing but the end of the run follows from it
    world = one(begin(), Ask("1", A))
    assert world.draft().progress == world.progress


@pytest.mark.parametrize("defect", ["known_tool", "readable", "has_input"])
def test_an_unfriendly_parallel_message_is_one_violation(defect: str) -> None:
    # C2.4
    world = begin(2, 2).message()
    for number in range(20):
        world = world.call(defective(Ask(f"{number}", A), defect))
    assert counters(world) == (0, 1, None)
    assert world.verdict == ("SKIP",)


def test_calls_behind_a_violation_change_nothing() -> None:
    # C2.4: not even sound ones, and not the evaluation they carry
    world = one(begin(), Ask("1", A)).message()
    refused = world.call(Ask("2", B))
    skipped = refused.call(Ask("3", B, ("1", GAINED)))
    assert (skipped.verdict, skipped.progress) == (("SKIP",), refused.progress)
    assert one(skipped, Ask("4", B, ("1", GAINED))).verdict == ("ADMIT", B)


def test_calls_behind_a_pending_result_are_not_executed() -> None:
    # C2.4: even where they look like the evaluation that is due
    world = begin().message().call(Ask("1", A))
    for says in (None, ("1", GAINED), ("1", NO_GAIN), ("0", GAINED)):
        skipped = world.call(Ask("2", B, says))
        assert (skipped.verdict, skipped.progress) == (("SKIP",), world.progress)
    assert [scope for scope, _ in world.executions] == [A]


def test_calls_behind_an_empty_a_failed_or_a_repeated_one_go_on() -> None:
    # C2.4: only a pending evaluation or a violation closes a message
    world = begin(9).message().call(Ask("1", A), EMPTY).call(Ask("2", A))
    assert world.verdict == ("DUPLICATE", "1", True)
    world = world.call(Ask("3", B), FAILED).call(Ask("4", B), FAILED).call(Ask("5", B))
    assert world.verdict == ("KNOWN_FAILURE", B)
    assert world.call(Ask("6", C)).verdict == ("ADMIT", C)


def test_parallel_empties_stop_at_the_threshold() -> None:
    # C2.4: the rest of the message is answered, not executed
    world = begin(3).message()
    for number in range(3):
        world = world.call(Ask(f"{number}", f"empty {number}"), EMPTY)
    assert (world.at, world.deliveries) == ("ANSWERED", 1)
    assert world.progress["stop_reason"] == SATURATED
    assert len(world.executions) == 3


def test_repeating_the_evaluation_just_applied_is_ignored() -> None:
    # C2.4: it counts once, however often the message carries it
    first = one(begin(9), Ask("1", A)).message().call(Ask("2", B, ("1", NO_GAIN)), FAILED)
    assert counters(first) == (1, 0, None)
    assert first.turn.applied == Evaluation("1", InformationGain.NO_GAIN)
    again = first.call(Ask("3", B, ("1", NO_GAIN)), FAILED).call(Ask("4", C, ("1", NO_GAIN)), EMPTY)
    assert counters(again) == (2, 0, None)
    assert again.turn.applied == first.turn.applied
    assert one(again, Ask("5", "d", ("1", NO_GAIN))).verdict[1] == "UNEXPECTED_PREVIOUS_OBSERVATION"
