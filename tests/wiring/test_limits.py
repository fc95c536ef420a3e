"""No limit ends a run with an error, and what was found before it is kept (C1.4, C8)."""

import asyncio
from typing import Any

import pytest

from graph import Settings
from graph.build import recursion_limit
from graph.compiled import LEAST_STEPS
from tests.fakes.bench import QUESTION, Bench, observations, play, trace_types
from tests.fakes.replies import PROVED, asks, call, draft, judged, said
from tests.fakes.sources import KeywordSource, found
from tests.wiring.random_models import pending_id
from tests.wiring.whole_runs import hold

LAST = "BUDGET_LIMIT_REACHED"


class Nothing(dict[str, Any]):
    """Answers that are empty, whatever is asked."""

    def get(self, key: str, default: Any = None) -> Any:
        """Nothing is found."""
        return found()


SCRIPTS: dict[str, list[Any]] = {
    "proved": [asks(call("c1", "pool")), PROVED],
    "parallel": [asks(*(call(f"c{n}", "empty" if n else "pool") for n in range(6))), draft(None)],
    "violations": [
        asks(call("c1", "pool", "c0")),
        asks(call("c2", "pool", "c0")),
        said("so be it"),
    ],
    "saturated": [asks(call("c1", "empty")), asks(call("c2", "empty")), said("no more")],
    "stubborn": [asks(call(f"c{n}", "empty")) for n in range(6)],
    "silent": [said("")],
}


def finished(bench: Bench, **config: Any) -> dict[str, Any]:
    state = play(bench, **config)
    hold(bench, state)
    return state


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("limit", range(1, 16))
def test_a_callers_small_recursion_limit_ends_in_a_release(script, limit):
    # C1.4
    state = finished(Bench(agent=SCRIPTS[script]), recursion_limit=limit)
    assert state["turn"]["steps_left"] >= 1
    assert state["release"]["outcome"] != "SUCCESS" or state["release"]["stop_reason"] is None


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_limit_that_is_large_enough_changes_nothing(script):
    # C1.4
    bounded = finished(Bench(agent=SCRIPTS[script]), recursion_limit=20)
    assert trace_types(bounded) == trace_types(finished(Bench(agent=SCRIPTS[script])))


def test_the_least_limit_is_the_least():
    # C1.4: one step less and LangGraph would refuse the release
    state = finished(Bench(), recursion_limit=LEAST_STEPS)
    assert trace_types(state) == [
        "RUN_STARTED",
        "COLLECTION_STOPPED",
        "RELEASE_DECISION",
        "RUN_FINISHED",
    ]
    assert state["release"]["stop_reason"] == LAST


def test_limits_set_on_the_graph_and_streamed_events_are_lifted_too():
    # C1.4
    bench = Bench()
    given = {"messages": [("user", QUESTION)]}

    async def run() -> list[dict[str, Any]]:
        bound = bench.graph.with_config(recursion_limit=2)
        first = await bound.ainvoke(given, {"configurable": {"thread_id": "a"}})
        small: Any = {"configurable": {"thread_id": "b"}, "recursion_limit": 1}
        events = bench.graph.astream_events(given, small, version="v2")
        last = [event async for event in events][-1]
        return [first["release"], last["data"]["output"]["release"]]

    assert [release["stop_reason"] for release in asyncio.run(run())] == [LAST, LAST]


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_that_is_none_is_still_refused(limit):
    with pytest.raises(ValueError, match="recursion_limit"):
        play(Bench(), recursion_limit=limit)


def test_the_graphs_own_limit_leaves_every_step_that_the_budget_pays():
    # C1.4, C8: the longest run there is: every message full of calls that each take two steps
    budget = {"max_model_calls": 4, "release_reserve_calls": 0, "max_tool_calls": 500}
    chat = {"stop_after_consecutive_no_gain": 1_000}

    def full(request: Any) -> Any:
        calls = [call(None, f"k{len(request)}-{n}") for n in range(32)]
        return asks(*calls)

    tool = KeywordSource(answers=Nothing())
    bench = Bench(agent=[full] * 3, tools=[tool], harness={"budget": budget, "chat": chat})
    state = finished(bench)
    assert state["usage"]["tool_calls"] == 64
    assert state["usage"]["model_calls"] == 4
    assert state["release"]["stop_reason"] == LAST
    limits = Settings(harness={"budget": budget, "chat": chat}).limits()
    assert state["turn"]["steps_left"] > 0
    assert recursion_limit(limits) - state["turn"]["steps_left"] > 128


@pytest.mark.parametrize("count", [33, 1_500])
def test_a_message_with_very_many_calls_is_answered_in_full(count):
    # C2.4, C0: one observation a call, whatever their number
    tool = KeywordSource()
    flood = asks(*(call(f"c{n}", "pool" if n == 0 else "slow") for n in range(count)))
    state = finished(
        Bench(agent=[flood, PROVED], tools=[tool]).__class__(agent=[flood, draft(None)])
    )
    assert [seen["status"] for seen in observations(state)] == ["READY"] + ["REJECTED"] * (
        count - 1
    )
    assert state["release"]["stop_reason"] is None


def test_calls_beyond_a_messages_bound_are_not_executed():
    # C2.4
    harness = {
        "chat": {"stop_after_consecutive_no_gain": 1_000},
        "budget": {"max_tool_calls": 100},
    }
    tool = KeywordSource(answers=Nothing())
    flood = asks(*(call(f"c{n}", f"k{n}") for n in range(40)))
    state = finished(Bench(agent=[flood, draft(None)], tools=[tool], harness=harness))
    assert len(tool.runs) == 32
    assert [seen.get("error_code") for seen in observations(state)[32:]] == ["NOT_EXECUTED"] * 8


def gaining(request: Any) -> Any:
    """A model that always finds something new, and never ends by itself."""
    number = sum(message.type == "tool" for message in request)
    return asks(call(f"c{number}", f"k{number}", pending_id(request)))


@pytest.mark.parametrize(
    ("budget", "facts"),
    [
        ({"max_model_calls": 4, "release_reserve_calls": 1}, 1),
        ({"max_tool_calls": 2}, 2),
        ({"max_tokens": 40}, 1),
        ({"max_run_observation_bytes": 600}, 2),
    ],
    ids=str,
)
def test_each_budget_ends_in_a_fallback_that_holds_what_was_found(budget, facts):
    # C3.5, C6, C8; HolmesGPT 1721, pydantic-ai 1083: never an error, never a further model call
    bench = Bench(agent=[gaining] * 30, harness={"budget": budget})
    state = finished(bench)
    release = state["release"]
    assert (release["outcome"], release["stop_reason"]) == ("FALLBACK", LAST)
    assert len(release["observed_facts"]) == facts
    assert "STOP_REQUIRED" not in trace_types(state)
    assert state["progress"]["collection_state"] == "COLLECTING"


def test_time_is_a_budget_too():
    # C8
    harness = {"budget": {"max_seconds": 0.2, "tool_timeout_seconds": 5}}
    bench = Bench(agent=[gaining, lambda r: asks(call("c9", "hang", "c0"))], harness=harness)
    state = finished(bench)
    assert state["release"]["outcome"] == "FALLBACK"
    assert state["release"]["stop_reason"] == LAST
    assert len(state["release"]["observed_facts"]) == 1


def test_gaining_runs_are_cut_by_the_budget_only():
    # C3.8
    harness = {
        "chat": {
            "stop_after_consecutive_no_gain": 1,
            "stop_after_consecutive_protocol_violations": 1,
        },
        "budget": {"max_model_calls": 40, "max_tool_calls": 30},
    }
    state = finished(Bench(agent=[gaining] * 40, harness=harness))
    assert state["usage"]["tool_calls"] == 30
    assert state["release"]["stop_reason"] == LAST


@pytest.mark.parametrize(("calls", "outcome"), [(5, "SUCCESS"), (4, "FALLBACK"), (3, "FALLBACK")])
def test_guards_are_paid_from_the_same_budget(calls, outcome):
    # C8: router, two rounds, a repair and a guard; without money to guard it nothing is a success
    false = draft("the pool is dry", ("c1", "e1", "an invented quote"))
    budget = {"max_model_calls": calls, "release_reserve_calls": calls - 3}
    bench = Bench(
        agent=[asks(call("c1", "pool")), false],
        repair=[PROVED],
        guard=[judged()],
        harness={"budget": budget},
    )
    state = finished(bench)
    assert state["release"]["outcome"] == outcome
    assert state["usage"]["model_calls"] == calls
