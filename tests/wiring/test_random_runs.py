"""Whatever models and tools do, a run ends in one release and its audit holds (C1–C8)."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.bench import Bench, play
from tests.fakes.sources import KeywordSource
from tests.wiring.random_models import ERRORS, FINALS, MOVES
from tests.wiring.whole_runs import hold

RELEASED = st.sampled_from(range(4)).flatmap(
    lambda kind: st.just([]) if kind else st.lists(FINALS | ERRORS, max_size=2)
)
TINY_BUDGETS = st.fixed_dictionaries(
    {},
    optional={
        "max_model_calls": st.integers(3, 6),
        "release_reserve_calls": st.integers(0, 2),
        "max_tool_calls": st.integers(0, 3),
        "max_tokens": st.integers(1, 8_000),
        "max_observation_bytes": st.integers(256, 700),
        "max_run_observation_bytes": st.integers(256, 1_500),
        "max_seconds": st.sampled_from([0.05, 0.3]),
    },
)
THRESHOLDS = st.fixed_dictionaries(
    {
        "stop_after_consecutive_no_gain": st.integers(1, 4),
        "stop_after_consecutive_protocol_violations": st.integers(1, 4),
    }
)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.nodes.model_call.RETRY_PAUSE_SECONDS", 0)


property_test = settings(
    deadline=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.large_base_example,
        HealthCheck.data_too_large,
    ],
)


def played(
    moves: list[Any],
    budget: dict[str, Any],
    chat: dict[str, Any],
    *others: list[Any],
    **config: Any,
) -> None:
    """One run with these models; it holds every invariant."""
    router, repair, guard = others
    times = {"tool_timeout_seconds": 0.02, "max_seconds": 0.6}
    bench = Bench(
        agent=moves,
        router=router,
        repair=repair,
        guard=guard,
        tools=[KeywordSource("query_logs"), KeywordSource("lookup_knowledge", factual=False)],
        harness={"budget": {**times, **budget}, "chat": chat},
    )
    hold(bench, play(bench, **config))


@property_test
@given(st.lists(MOVES, min_size=2, max_size=12), THRESHOLDS, RELEASED, RELEASED, RELEASED)
def test_any_models_end_in_a_release(moves, chat, router, repair, guard):
    # C1.4, C2, C3, C6, C7
    played(moves, {}, chat, router, repair, guard)


@property_test
@given(st.lists(MOVES, min_size=2, max_size=8), TINY_BUDGETS, THRESHOLDS, RELEASED, RELEASED)
def test_tiny_budgets_end_in_a_release(moves, budget, chat, repair, guard):
    # C8: each of them, alone and together
    played(moves, budget, chat, [], repair, guard)


@property_test
@given(st.lists(MOVES, min_size=2, max_size=8), st.integers(1, 30), THRESHOLDS, RELEASED)
def test_small_recursion_limits_end_in_a_release(moves, limit, chat, guard):
    # C1.4
    played(moves, {}, chat, [], [], guard, recursion_limit=limit)
