"""A limit of N allows N, checked before it is spent; the release reserve is kept apart (C8)."""

from typing import Any

import pytest

from graph.contract.budget import (
    Usage,
    add_usage,
    begin_usage,
    collection_call_allowed,
    observation_bytes_left,
    release_call_allowed,
    seconds_left,
    spent_since,
    tool_call_allowed,
)
from graph.contract.limits import Limits
from tests.contract_rules.world import limits

LIMITS = Limits(
    stop_after_consecutive_no_gain=2,
    stop_after_consecutive_protocol_violations=2,
    max_model_calls=10,
    release_reserve_calls=3,
    max_tool_calls=5,
    max_tokens=1_000,
    max_observation_bytes=300,
    max_run_observation_bytes=700,
    max_seconds=60.0,
    tool_timeout_seconds=20.0,
)


def spent(**fields: Any) -> Usage:
    return {**begin_usage(), **fields}  # type: ignore[typeddict-item]


def allowed(usage: Usage, given: Limits = LIMITS) -> tuple[bool, bool, bool]:
    """Whether a tool, the agent's model and the release's model may be called."""
    return (
        tool_call_allowed(usage, given),
        collection_call_allowed(usage, given),
        release_call_allowed(usage, given),
    )


def test_a_run_begins_with_nothing_spent() -> None:
    # C8
    usage = begin_usage()
    assert set(usage) == set(Usage.__annotations__)
    assert set(usage.values()) == {0}
    assert isinstance(usage["seconds"], float)
    assert allowed(usage) == (True, True, True)
    assert begin_usage() is not usage


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        # C8: ten calls in all, the last three of them for the release
        (spent(model_calls=6), (True, True, True)),
        (spent(model_calls=7), (False, False, True)),
        (spent(model_calls=8), (False, False, True)),
        (spent(model_calls=9), (False, False, True)),
        (spent(model_calls=10), (False, False, False)),
        (spent(model_calls=11), (False, False, False)),
        # C8: five tool calls; none of them is a model call
        (spent(tool_calls=4), (True, True, True)),
        (spent(tool_calls=5), (False, True, True)),
        (spent(tool_calls=6), (False, True, True)),
        # C8: tokens bind every component
        (spent(total_tokens=999), (True, True, True)),
        (spent(total_tokens=1_000), (False, False, False)),
        (spent(total_tokens=1_001), (False, False, False)),
        # C8: so does the time inside nodes
        (spent(seconds=59.999), (True, True, True)),
        (spent(seconds=60.0), (False, False, False)),
        (spent(seconds=60.001), (False, False, False)),
        # C8: observation bytes bind tools only
        (spent(observation_bytes=699), (True, True, True)),
        (spent(observation_bytes=700), (False, True, True)),
        (spent(observation_bytes=701), (False, True, True)),
        # counts that are no budget of their own
        (spent(input_tokens=10**6, output_tokens=10**6), (True, True, True)),
        (spent(usage_unavailable=10**6), (True, True, True)),
    ],
    ids=repr,
)
def test_each_limit_allows_exactly_itself(usage: Usage, expected: tuple[bool, bool, bool]) -> None:
    # C8
    assert allowed(usage) == expected


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_a_limit_of_n_allows_n(limit: int) -> None:
    # C8: spend while allowed, count what was spent
    given = {**LIMITS, "max_tool_calls": limit, "max_model_calls": 100}
    done = 0
    while tool_call_allowed(spent(tool_calls=done), given):  # type: ignore[arg-type]
        done += 1
    assert done == limit
    given = {**LIMITS, "max_model_calls": limit + LIMITS["release_reserve_calls"]}
    done = 0
    while collection_call_allowed(spent(model_calls=done), given):  # type: ignore[arg-type]
        done += 1
    assert done == limit
    while release_call_allowed(spent(model_calls=done), given):  # type: ignore[arg-type]
        done += 1
    assert done == limit + LIMITS["release_reserve_calls"]


def test_a_reserve_as_large_as_the_budget_leaves_collection_nothing() -> None:
    # C8
    given = {**LIMITS, "release_reserve_calls": LIMITS["max_model_calls"]}
    assert allowed(begin_usage(), given) == (False, False, True)  # type: ignore[arg-type]


def test_no_tool_runs_whose_result_no_model_call_could_use() -> None:
    # C3.5
    usage = spent(model_calls=LIMITS["max_model_calls"] - LIMITS["release_reserve_calls"])
    assert usage["tool_calls"] < LIMITS["max_tool_calls"]
    assert not tool_call_allowed(usage, LIMITS)


@pytest.mark.parametrize(
    ("used", "left"),
    [(0, 300), (399, 300), (400, 300), (401, 299), (699, 1), (700, 0), (701, 0), (10_000, 0)],
)
def test_an_observation_gets_its_own_bound_or_what_the_run_has_left(used: int, left: int) -> None:
    # C8: in bytes, never below zero
    assert observation_bytes_left(spent(observation_bytes=used), LIMITS) == left


@pytest.mark.parametrize(
    ("used", "left"), [(0.0, 60.0), (59.5, 0.5), (60.0, 0.0), (60.5, 0.0), (1e9, 0.0)]
)
def test_the_time_left_is_never_below_zero(used: float, left: float) -> None:
    # C8
    assert seconds_left(spent(seconds=used), LIMITS) == left


def test_the_default_limits_are_the_documented_ones() -> None:
    # C8: fourteen calls with two kept, so the agent and the router share twelve
    assert allowed(spent(model_calls=11), limits()) == (True, True, True)
    assert allowed(spent(model_calls=12), limits()) == (False, False, True)


def test_what_a_step_spent_adds_up_and_nothing_else_moves():
    # C1.2, C8: a checkpoint holds the shares, a run goes on with their sum
    before = spent(model_calls=2, total_tokens=30, seconds=1.25)
    after = add_usage(before, {"model_calls": 1, "total_tokens": 15, "seconds": 0.5})
    assert after == spent(model_calls=3, total_tokens=45, seconds=1.75)
    assert before == spent(model_calls=2, total_tokens=30, seconds=1.25)
    assert spent_since(before, after) == {"model_calls": 1, "total_tokens": 15, "seconds": 0.5}
    assert spent_since(after, after) == {}


def test_seconds_are_kept_to_the_microsecond():
    # C8: binary fractions of many short steps do not pile up
    usage = begin_usage()
    for _ in range(3):
        usage = add_usage(usage, {"seconds": 0.1000004})
    assert usage["seconds"] == 0.3
    assert spent_since(spent(seconds=0.1), spent(seconds=0.3)) == {"seconds": 0.2}
    assert spent_since(spent(seconds=0.1), spent(seconds=0.1000014)) == {"seconds": 0.000001}
    assert add_usage(begin_usage(), {"seconds": 0.0000014})["seconds"] == 0.000001
