"""Random runs that stop before every node, or whose store fails now and then (C1.2, C5.1)."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.bench import QUESTION, Bench, play, trace_types
from tests.fakes.sources import KeywordSource
from tests.wiring.random_models import FRIENDLY, MOVES, proofs
from tests.wiring.test_random_runs import THRESHOLDS, property_test
from tests.wiring.whole_runs import (
    counts_agree,
    every_call_answered_once,
    hold,
    protocol_clean,
    released_once,
    stop_at_most_once,
    tokens_as_reported,
)
from tools.invocations import Claim, InvocationRecord, LeaseLost, StoreUnavailable
from tools.invocations.sqlite import SqliteInvocationStore

THREAD: Any = {"configurable": {"thread_id": "thread-1"}}


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.nodes.model_call.RETRY_PAUSE_SECONDS", 0)
    monkeypatch.setattr("tools.boundary.POLL_SECONDS", 0)
    monkeypatch.setattr("tools.boundary.LEASE_MARGIN_SECONDS", 0)


def bench(moves: list[Any], chat: dict[str, Any], **more: Any) -> Bench:
    budget = {"tool_timeout_seconds": 0.02, "max_seconds": 5}
    tools = [KeywordSource("query_logs"), KeywordSource("lookup_knowledge", factual=False)]
    return Bench(agent=moves, tools=tools, harness={"budget": budget, "chat": chat}, **more)


def step_by_step(made: Bench) -> dict[str, Any]:
    """The final state of a run that was stopped before each of its nodes."""

    async def whole() -> dict[str, Any]:
        given: Any = {"messages": [("user", QUESTION)]}
        try:
            while True:
                await made.graph.ainvoke(given, THREAD, interrupt_before="*")
                snapshot = await made.graph.aget_state(THREAD)
                if not snapshot.next:
                    return snapshot.values
                given = None
        finally:
            await made.store.aclose()

    return asyncio.run(whole())


def counters(state: dict[str, Any]) -> tuple[Any, ...]:
    """What two runs of the same script have in common: no ids, no times."""
    progress, release = state["progress"], state["release"]
    return (
        {**state["usage"], "seconds": 0, "observation_bytes": 0},
        [(step["action"], step["tool_names"], step["token_count"]) for step in state["steps"]],
        [progress[key] for key in ("stop_reason", "stop_delivered", "consecutive_no_gain")],
        [kind for kind in trace_types(state) if kind != "RUN_RESUMED"],
        [release[key] for key in ("outcome", "error_code", "observed_facts")],
    )


@property_test
@given(st.lists(MOVES.filter(lambda move: move != "HANG"), max_size=8), THRESHOLDS)
def test_a_run_resumed_before_every_node_ends_the_same(moves, chat):
    # C1.2: nothing a run counts lives outside its state
    stepped = bench(moves, chat)
    state = step_by_step(stepped)
    assert counters(state) == counters(play(bench(moves, chat)))
    released_once(state)
    every_call_answered_once(state["dialogue"])
    stop_at_most_once(state)
    counts_agree(state)
    tokens_as_reported(state, stepped.reported)
    numbers = [event["seq"] for event in state["trace"]]
    assert numbers == list(range(1, len(numbers) + 1))
    for request in stepped.requests:
        protocol_clean(request)


class FlakyStore(SqliteInvocationStore):
    """Fails where its plan says so; a plan that is used up never fails."""

    def __init__(self, plan: list[Exception | None]) -> None:
        super().__init__(":memory:")
        self._plan = list(plan)

    def _check(self) -> None:
        fault = self._plan.pop(0) if self._plan else None
        if fault is not None:
            raise fault

    async def begin(self, record: InvocationRecord, *, now: float) -> Claim:
        """As in the store, or the fault."""
        self._check()
        return await super().begin(record, now=now)

    async def mark_ready(self, record: InvocationRecord) -> None:
        """As in the store, or the fault."""
        self._check()
        await super().mark_ready(record)

    async def mark_error(self, record: InvocationRecord) -> None:
        """As in the store, or the fault."""
        self._check()
        await super().mark_error(record)

    async def find(self, key: str) -> InvocationRecord | None:
        """As in the store, or the fault; a read is never refused for a lease."""
        fault = self._plan[0] if self._plan else None
        if not isinstance(fault, LeaseLost):
            self._check()
        return await super().find(key)


FAULTS = st.sampled_from([None, None, StoreUnavailable("secret"), LeaseLost("secret")])


@property_test
@given(
    st.lists(FRIENDLY, min_size=1, max_size=6),
    proofs(),
    st.lists(FAULTS, max_size=16),
    THRESHOLDS,
)
def test_a_store_that_fails_now_and_then_costs_facts_and_no_run(moves, proof, plan, chat):
    # C5.1, C6: a record that cannot be read is a limitation, never a fact, never an exception
    made = bench([*moves, proof], chat, store=FlakyStore(plan))
    state = play(made)
    hold(made, state)
    assert "secret" not in repr(state)
