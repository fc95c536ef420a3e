"""Which violation a request is told of when it commits several (C2.1, C2.2)."""

from itertools import combinations
from typing import Any

import pytest

from graph.contract.envelope import Evaluation, ToolRequest
from graph.contract.gate import decide, find_violation
from graph.contract.progress import Progress, begin_progress, fold
from graph.contract.verdict import Repair, Turn
from graph.contract.vocabulary import InformationGain, Violation
from tests.contract_rules.world import limits

JUDGED = Evaluation("call-1", InformationGain.GAINED)
STRANGE = Evaluation("call-0", InformationGain.GAINED)
DEFECTS: dict[Violation, dict[str, Any]] = {
    Violation.UNKNOWN_TOOL: {"known_tool": False},
    Violation.INVALID_ENVELOPE: {"well_formed": False},
    Violation.MISSING_INPUT: {"has_input": False},
    Violation.MISSING_PREVIOUS_OBSERVATION: {"evaluation": None},
    Violation.OUT_OF_ORDER_PREVIOUS_OBSERVATION: {"evaluation": STRANGE},
    Violation.UNEXPECTED_PREVIOUS_OBSERVATION: {"evaluation": JUDGED},
    Violation.INVALID_INPUT: {"scope_key": None},
}
PAIRS = [
    (first, second)
    for first, second in combinations(Violation, 2)
    if not ("evaluation" in DEFECTS[first] and "evaluation" in DEFECTS[second])
]


def progress_for(*violations: Violation) -> Progress:
    """A run in which these violations are possible: with a pending result, or with none."""
    start = begin_progress(limits())
    if Violation.UNEXPECTED_PREVIOUS_OBSERVATION in violations:
        return start
    return fold(
        start,
        [
            {
                "kind": "TOOL_READY",
                "tool_call_id": "call-1",
                "tool": "query_logs",
                "scope_key": "scope 1",
                "invocation_key": "record 1",
            }
        ],
    )


def sound_request(progress: Progress) -> ToolRequest:
    evaluation = JUDGED if progress["pending"] else None
    return ToolRequest("call-2", "query_logs", True, evaluation=evaluation, scope_key="scope 2")


def with_defects(progress: Progress, *violations: Violation) -> ToolRequest:
    request = sound_request(progress)
    changes = {key: value for kind in violations for key, value in DEFECTS[kind].items()}
    return ToolRequest(
        **{name: changes.get(name, getattr(request, name)) for name in request.__slots__}
    )


def test_the_sound_request_has_no_violation() -> None:
    # C2.1: the evaluation is required if and only if something is pending
    for progress in (
        progress_for(Violation.UNEXPECTED_PREVIOUS_OBSERVATION),
        progress_for(Violation.MISSING_PREVIOUS_OBSERVATION),
    ):
        assert find_violation(progress, sound_request(progress), Turn()) is None


@pytest.mark.parametrize("violation", list(Violation))
def test_each_defect_is_named(violation: Violation) -> None:
    # C2.2
    progress = progress_for(violation)
    request = with_defects(progress, violation)
    assert find_violation(progress, request, Turn()) is violation
    pending = progress["pending"]
    expected = pending["tool_call_id"] if pending else None
    verdict = decide(progress, request, tool_allowed=True).verdict
    assert verdict == Repair(violation, expected, 1)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_of_two_defects_the_earlier_in_the_table_is_named(
    first: Violation, second: Violation
) -> None:
    # C2.2: first match
    progress = progress_for(first, second)
    assert find_violation(progress, with_defects(progress, first, second), Turn()) is first


def test_all_possible_defects_at_once_are_one_unknown_tool() -> None:
    # C2.2: first match, and one violation only
    progress = progress_for(Violation.MISSING_PREVIOUS_OBSERVATION)
    possible = [kind for kind in Violation if kind != Violation.UNEXPECTED_PREVIOUS_OBSERVATION]
    decision = decide(progress, with_defects(progress, *possible), tool_allowed=True)
    assert decision.verdict == Repair(Violation.UNKNOWN_TOOL, "call-1", 1)


def test_only_the_very_evaluation_just_applied_may_be_repeated() -> None:
    # C2.4
    progress = progress_for(Violation.UNEXPECTED_PREVIOUS_OBSERVATION)
    request = with_defects(progress, Violation.UNEXPECTED_PREVIOUS_OBSERVATION)
    turned = Evaluation(JUDGED.tool_call_id, InformationGain.NO_GAIN)
    for applied, expected in (
        (JUDGED, None),
        (None, Violation.UNEXPECTED_PREVIOUS_OBSERVATION),
        (STRANGE, Violation.UNEXPECTED_PREVIOUS_OBSERVATION),
        (turned, Violation.UNEXPECTED_PREVIOUS_OBSERVATION),
    ):
        assert find_violation(progress, request, Turn(applied=applied)) is expected
