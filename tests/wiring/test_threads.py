"""Many runs on one thread: what they share, and what becomes of a run that was cut off."""

import asyncio
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from tests.fakes.bench import Bench
from tests.fakes.replies import MISSING_CONTEXT, PROVED, asks, call
from tests.fakes.sources import KeywordSource

RUN = [asks(call("c1", "pool")), PROVED]
NODES = ("route", "model", "envelope_gate", "tool", "release")


def rounds(bench: Bench, *questions: Any, **config: Any) -> list[dict[str, Any]]:
    """The state after each question on the same thread."""

    async def whole() -> list[dict[str, Any]]:
        try:
            return [await bench.run(question, **config) for question in questions]
        finally:
            await bench.store.aclose()

    return asyncio.run(whole())


def cut_off(bench: Bench, node: str, *then: Any) -> list[dict[str, Any]]:
    """A run stopped before `node`, and the states after what came next (None: resumed)."""

    async def whole() -> list[dict[str, Any]]:
        thread: Any = {"configurable": {"thread_id": "thread-1"}}
        given = {"messages": [("user", "first question")]}
        await bench.graph.ainvoke(given, thread, interrupt_before=[node])
        first = (await bench.graph.aget_state(thread)).values
        try:
            return [first, *[await bench.run(question) for question in then]]
        finally:
            await bench.store.aclose()

    return asyncio.run(whole())


def texts(state: dict[str, Any]) -> list[str]:
    return [f"{message.type}: {message.text}" for message in state["messages"]]


def test_two_runs_share_the_public_messages_and_nothing_else():
    # C1.3
    tool = KeywordSource()
    bench = Bench(agent=[*RUN, *RUN], tools=[tool])
    first, second = rounds(bench, "first question", "second question")
    assert [len(run) for run in (first["messages"], second["messages"])] == [2, 4]
    assert second["messages"][:2] == first["messages"]
    assert second["release"]["run_id"] != first["release"]["run_id"]
    assert len(tool.runs) == 2, "another run's record is no result of this one"
    assert second["dialogue"] == first["dialogue"]
    assert second["steps"] == first["steps"]
    assert second["usage"]["tool_calls"] == 1
    assert second["progress"]["invocation_keys"] != first["progress"]["invocation_keys"]
    assert [event["seq"] for event in second["trace"]] == [e["seq"] for e in first["trace"]]
    assert second["run"]["closed_run"] is None


def test_the_second_run_sees_the_public_messages_and_no_dialogue():
    # C1.3, C1.6
    bench = Bench(agent=[MISSING_CONTEXT, *RUN])
    first, second = rounds(bench, "it failed", "company A, 10:00 UTC")
    assert first["release"]["fallback"]["type"] == "MISSING_REQUIRED_CONTEXT"
    assert second["release"]["outcome"] == "SUCCESS"
    seen = bench.requests[1]
    assert [type(message) for message in seen[1:]] == [HumanMessage, AIMessage, HumanMessage]
    assert seen[1].text == "it failed"
    assert seen[2].text == first["messages"][-1].text
    assert seen[3].text.startswith("company A, 10:00 UTC\n\n[asked at ")
    assert "conclusion" not in seen[2].text


@pytest.mark.parametrize("where", ["configurable", "config"])
def test_a_run_id_configured_again_names_a_new_run(where):
    # C1.5, C5.1: records of an earlier run are never reused, whatever id a caller repeats
    tool = KeywordSource()
    bench = Bench(agent=RUN * 4, tools=[tool])
    given: Any = {"run_id": "6f6b7d0e-3c5a-4a53-9d1e-0c7b5a1d2e3f"}
    config = {"configurable": given} if where == "configurable" else given
    states = rounds(bench, *["again"] * 4, **config)
    ids = [state["release"]["run_id"] for state in states]
    assert ids[0] == given["run_id"]
    assert len(set(ids)) == 4
    assert len(tool.runs) == 4
    assert len(states[-1]["messages"]) == 8


@pytest.mark.parametrize("node", NODES)
def test_a_new_question_closes_a_run_that_was_cut_off(node):
    # C1.6: CANCELLED first, its facts kept; then the new run, with nothing of the old one
    bench = Bench(agent=[*RUN, *RUN, *RUN])
    first, second = cut_off(bench, node, "second question")
    closed = second["run"]["closed_run"]
    assert closed["release"]["outcome"] == "CANCELLED"
    assert closed["release"]["run_id"] == first["run"]["run_id"]
    assert len(closed["release"]["observed_facts"]) == len(first["progress"]["completed"])
    numbers = [event["seq"] for event in [*first["trace"], *closed["trace"]]]
    assert numbers == list(range(1, len(numbers) + 1))
    assert [event["type"] for event in closed["trace"]] == ["RELEASE_DECISION", "RUN_FINISHED"]
    assert closed["trace"][-1]["outcome"] == "CANCELLED"
    assert closed["trace"][-1]["total_tokens"] == first["usage"]["total_tokens"]
    kinds = [message.type for message in second["messages"]]
    assert kinds == ["human", "ai", "human", "ai"]
    assert second["messages"][2].text == "second question"
    assert second["release"]["outcome"] in {"SUCCESS", "FALLBACK"}
    assert second["release"]["run_id"] != closed["release"]["run_id"]
    assert second["trace"][0]["seq"] == 1
    assert "RUN_RESUMED" not in [event["type"] for event in second["trace"]]


@pytest.mark.parametrize("node", NODES)
def test_resuming_goes_on_with_the_same_run(node):
    # C1.2, C1.6
    bench = Bench(agent=RUN)
    first, second = cut_off(bench, node, None)
    assert second["release"]["outcome"] == "SUCCESS"
    assert second["release"]["run_id"] == first["run"]["run_id"]
    assert second["run"]["closed_run"] is None
    assert len(second["messages"]) == 2
    types = [event["type"] for event in second["trace"]]
    assert types.count("RUN_RESUMED") == 1
    named = [event["event"] for event in bench.events]
    assert named[0] == "metadata", "a resumed stream says whose run it tells of"
    assert named.count("metadata") == 1
    assert named[-2:] == ["RESULT", "done"]
    assert bench.events[0]["data"] == {
        "run_id": first["run"]["run_id"],
        "session_id": first["run"]["session_id"],
    }
    assert types.index("RUN_RESUMED") == len(first["trace"])


def test_a_closed_run_is_closed_once():
    # C1.6
    bench = Bench(agent=[asks(call("c1", "pool")), *RUN, *RUN])
    _, second, third = cut_off(bench, "tool", "second question", "third question")
    assert second["run"]["closed_run"] is not None
    assert third["run"]["closed_run"] is None
    assert texts(third)[:4] == texts(second)
    assert len(third["messages"]) == 6


def test_a_refused_question_closes_a_run_that_was_cut_off_too():
    # C1.5, C1.6
    bench = Bench(agent=RUN)
    _, second = cut_off(bench, "tool", "   ")
    assert second["run"]["closed_run"]["release"]["outcome"] == "CANCELLED"
    assert second["release"]["error_code"] == "QUESTION_EMPTY"
    assert [message.type for message in second["messages"]] == ["human", "ai", "human", "ai"]


def test_history_is_bounded_in_number_and_bytes():
    # C1.6: the latest public messages, whole
    bench = Bench(agent=[MISSING_CONTEXT] * 9)
    rounds(bench, *[f"question {n} " + "长" * 400 for n in range(9)])
    shown = bench.requests[-1][1:-1]
    assert 0 < len(shown) <= 10
    assert sum(len(message.text.encode()) for message in shown) <= 8_192
    assert shown[-2].text.startswith("question 7 ")
    assert len(bench.requests[3]) == 1 + 6 + 1
