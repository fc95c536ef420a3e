"""The fold event by event, as plain data (C1.1, C1.2, C3)."""

import copy
import json
from typing import Any

import pytest

from graph.contract.progress import Event, Progress, begin_progress, fold
from tests.contract_rules.oracle import BUDGET, SATURATED, VIOLATED
from tests.contract_rules.world import limits

READY: Event = {
    "kind": "TOOL_READY",
    "tool_call_id": "call-1",
    "tool": "query_logs",
    "scope_key": "scope 1",
    "invocation_key": "record 1",
}
EMPTY: Event = {
    "kind": "TOOL_EMPTY",
    "tool_call_id": "call-2",
    "scope_key": "scope 2",
    "invocation_key": "record 2",
}
FAILED: Event = {"kind": "TOOL_FAILED", "scope_key": "scope 3", "invocation_key": "record 3"}
GAINED: Event = {"kind": "GAIN_ASSIGNED", "gain": "GAINED"}
NO_GAIN: Event = {"kind": "GAIN_ASSIGNED", "gain": "NO_GAIN"}
VIOLATION: Event = {"kind": "PROTOCOL_VIOLATED"}
ACCEPTED: Event = {"kind": "REQUEST_ACCEPTED"}
NO_ROOM: Event = {"kind": "BUDGET_REACHED"}
DELIVERED: Event = {"kind": "STOP_DELIVERED"}
ALL = [READY, EMPTY, FAILED, GAINED, NO_GAIN, VIOLATION, ACCEPTED, NO_ROOM, DELIVERED]

BEGUN: dict[str, Any] = {
    "collection_state": "COLLECTING",
    "stop_reason": None,
    "stop_delivered": False,
    "consecutive_no_gain": 0,
    "consecutive_protocol_violations": 0,
    "pending": None,
    "completed": {},
    "empty": [],
    "failures": {},
    "invocation_keys": [],
}


def begun(patience: int = 9, tolerance: int = 9) -> Progress:
    return begin_progress(limits(patience, tolerance))


def changes(progress: Progress, *events: Event) -> dict[str, Any]:
    """What the events change, and nothing else."""
    after = fold(progress, events)
    assert after.keys() == progress.keys()
    return {key: value for key, value in after.items() if value != progress[key]}  # type: ignore[literal-required]


def test_a_run_begins_with_nothing_but_its_limits() -> None:
    # C1.2
    assert begun(3, 4) == {**BEGUN, "limits": limits(3, 4)}


def test_limits_are_copied_into_the_run() -> None:
    # C3.7: later changes touch new runs only
    configured = limits(2, 2)
    progress = begin_progress(configured)
    configured["stop_after_consecutive_no_gain"] = 1
    configured["stop_after_consecutive_protocol_violations"] = 1
    assert progress["limits"] == limits(2, 2)
    assert fold(progress, [NO_GAIN, VIOLATION])["stop_reason"] is None


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (ACCEPTED, {}),
        (
            READY,
            {
                "pending": {"tool_call_id": "call-1", "tool": "query_logs"},
                "completed": {"scope 1": "call-1"},
                "invocation_keys": ["record 1"],
            },
        ),
        (
            EMPTY,
            {
                "consecutive_no_gain": 1,
                "completed": {"scope 2": "call-2"},
                "empty": ["scope 2"],
                "invocation_keys": ["record 2"],
            },
        ),
        (FAILED, {"failures": {"scope 3": 1}, "invocation_keys": ["record 3"]}),
        (GAINED, {}),
        (NO_GAIN, {"consecutive_no_gain": 1}),
        (VIOLATION, {"consecutive_protocol_violations": 1}),
        (NO_ROOM, {"stop_reason": BUDGET}),
        (DELIVERED, {"stop_delivered": True}),
    ],
    ids=str,
)
def test_each_event_changes_its_own_keys_only(event: Event, expected: dict[str, Any]) -> None:
    # C1.1
    assert changes(begun(), event) == expected


def test_a_judgement_settles_what_was_pending() -> None:
    # C3.3
    pending = fold(begun(), [EMPTY, READY])
    assert changes(pending, GAINED) == {"pending": None, "consecutive_no_gain": 0}
    assert changes(pending, NO_GAIN) == {"pending": None, "consecutive_no_gain": 2}


def test_a_violation_touches_its_own_count_only_and_an_accepted_request_resets_it() -> None:
    # C3.2
    pending = fold(begun(), [EMPTY, READY])
    assert changes(pending, VIOLATION, VIOLATION) == {"consecutive_protocol_violations": 2}
    assert changes(fold(pending, [VIOLATION]), ACCEPTED) == {"consecutive_protocol_violations": 0}


@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_the_thresholds_are_reached_exactly(count: int) -> None:
    # C3.2 C3.3: and a violation does not saturate
    below = fold(begun(count, count), [NO_GAIN] * (count - 1) + [VIOLATION] * (count - 1))
    assert (below["stop_reason"], below["collection_state"]) == (None, "COLLECTING")
    for event in (NO_GAIN, EMPTY):
        at = fold(below, [event])
        assert (at["stop_reason"], at["collection_state"]) == (SATURATED, "SATURATED")
    at = fold(below, [VIOLATION])
    assert (at["stop_reason"], at["collection_state"]) == (VIOLATED, "COLLECTING")


@pytest.mark.parametrize(
    ("first", "reason"), [(NO_GAIN, SATURATED), (VIOLATION, VIOLATED), (NO_ROOM, BUDGET)]
)
@pytest.mark.parametrize("later", [NO_GAIN, VIOLATION, NO_ROOM, GAINED, ACCEPTED, READY, DELIVERED])
def test_the_first_stop_reason_wins(first: Event, reason: str, later: Event) -> None:
    # C3.9
    assert fold(begun(1, 1), [first, later, later])["stop_reason"] == reason


def test_failures_are_counted_by_scope_and_recorded_once() -> None:
    # C3 technical failure: the retry writes the same record
    other: Event = {"kind": "TOOL_FAILED", "scope_key": "scope 4", "invocation_key": "record 4"}
    after = fold(begun(), [FAILED, other, FAILED])
    assert after["failures"] == {"scope 3": 2, "scope 4": 1}
    assert after["invocation_keys"] == ["record 3", "record 4"]
    assert after["completed"] == {}


def test_records_stand_in_execution_order() -> None:
    # C1.2 C6: the snapshot follows it
    assert fold(begun(), [FAILED, EMPTY, READY])["invocation_keys"] == [
        "record 3",
        "record 2",
        "record 1",
    ]
    other: Event = {**EMPTY, "scope_key": "scope 5"}  # type: ignore[assignment]
    assert fold(begun(), [EMPTY, other])["empty"] == ["scope 2", "scope 5"]


@pytest.mark.parametrize("event", ALL, ids=str)
def test_the_progress_given_is_left_as_it_was(event: Event) -> None:
    # C1.1
    given = fold(begun(), [READY, EMPTY, FAILED, VIOLATION])
    kept, said = copy.deepcopy(given), copy.deepcopy(event)
    after = fold(given, [event])
    assert (given, event) == (kept, said)
    assert after is not given


def test_an_event_nobody_knows_is_refused() -> None:
    # C1.1: the set of events is closed
    unknown: Any = {"kind": "TOOL_CANCELLED"}
    with pytest.raises(AssertionError, match="TOOL_CANCELLED"):
        fold(begun(), [unknown])
    nonsense: Any = {"kind": "GAIN_ASSIGNED", "gain": "SOME_GAIN"}
    with pytest.raises(ValueError, match="SOME_GAIN"):
        fold(begun(), [nonsense])


def test_no_events_change_nothing() -> None:
    # C1.1
    assert fold(begun(), []) == begun()
    assert fold(begun(), iter([NO_GAIN])) == fold(begun(), [NO_GAIN])


@pytest.mark.parametrize("event", ALL, ids=str)
def test_a_run_resumed_from_json_goes_on_alike(event: Event) -> None:
    # C1.2: no tuple, enum or key that a checkpoint would bring back as something else
    before = fold(begun(2, 2), [READY, VIOLATION])
    after = fold(before, [event])
    assert json.loads(json.dumps(after)) == after
    assert fold(json.loads(json.dumps(before)), json.loads(json.dumps([event]))) == after
    for value in (after["collection_state"], after["stop_reason"]):
        assert type(value) in (str, type(None))
