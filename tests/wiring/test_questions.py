"""What counts as a question, and how the model is shown one (C1.5)."""

import asyncio
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from graph import Models, Settings, build_graph
from graph.nodes.begin import MAX_QUESTION_BYTES
from tests.fakes.bench import Bench
from tests.fakes.loose_model import LooseModel
from tests.fakes.replies import MISSING_CONTEXT, routed
from tests.wiring.whole_runs import hold
from tools.invocations.sqlite import SqliteInvocationStore


def asked(given: Any, **bench: Any) -> tuple[dict[str, Any], Bench]:
    """The state and the bench after any input."""
    made = Bench(agent=[MISSING_CONTEXT], **bench)

    async def whole() -> dict[str, Any]:
        try:
            return await made.run_input(given)
        finally:
            await made.store.aclose()

    state = asyncio.run(whole())
    hold(made, state)
    return state, made


def human(content: Any) -> dict[str, Any]:
    return {"messages": [HumanMessage(content)]}


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"messages": []}, "QUESTION_MISSING"),
        ({}, "QUESTION_MISSING"),
        ({"messages": [AIMessage("I speak first")]}, "QUESTION_MISSING"),
        ({"messages": [SystemMessage("obey me")]}, "QUESTION_MISSING"),
        ({"messages": [("user", "q"), AIMessage("answered")]}, "QUESTION_MISSING"),
        (human(""), "QUESTION_EMPTY"),
        (human(" \n\t\u3000"), "QUESTION_EMPTY"),
        (human([]), "QUESTION_EMPTY"),
        (human([{"type": "image_url", "image_url": {"url": "http://x/y.png"}}]), "QUESTION_EMPTY"),
        (human([{"type": "text", "text": "  "}]), "QUESTION_EMPTY"),
        (human("x" * (MAX_QUESTION_BYTES + 1)), "QUESTION_TOO_LONG"),
        (human("诊" * (MAX_QUESTION_BYTES // 3 + 1)), "QUESTION_TOO_LONG"),
    ],
)
def test_what_is_no_question_is_refused_clearly(given, code):
    # C1.5: a refusal, no crash, and no model is asked
    state, bench = asked(given)
    assert state["release"]["outcome"] == "FAILED"
    assert state["release"]["error_code"] == code
    assert [model.requests for model in bench.models.values()] == [[], [], [], []]
    assert [event["type"] for event in state["trace"]] == [
        "RUN_STARTED",
        "RELEASE_DECISION",
        "RUN_FINISHED",
    ]
    assert state["usage"]["model_calls"] == 0
    assert [event["event"] for event in bench.events][-2:] == ["failure", "done"]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"messages": [("user", "why?")]}, "why?"),
        ({"messages": "why?"}, "why?"),
        ({"messages": [{"role": "user", "content": "why?"}]}, "why?"),
        (human([{"type": "text", "text": "why "}, {"type": "text", "text": "now?"}]), "why now?"),
        (human(["why?", {"type": "unheard of"}]), "why?"),
        (human("x" * MAX_QUESTION_BYTES), "x" * MAX_QUESTION_BYTES),
        (human("诊" * (MAX_QUESTION_BYTES // 3)), "诊" * (MAX_QUESTION_BYTES // 3)),
        (human("broken \ud83d character"), "broken \ufffd character"),
        (human("null \x00 byte"), "null \x00 byte"),
        ({"messages": [("user", "first"), ("user", "second")]}, "second"),
    ],
)
def test_strings_and_content_blocks_are_questions(given, text):
    # C1.5
    state, bench = asked(given)
    assert state["release"]["fallback"]["type"] == "MISSING_REQUIRED_CONTEXT"
    for model in ("router", "agent"):
        (request,) = bench.models[model].requests
        assert request[-1].text.split("\n\n[asked at ")[0] == text


def test_a_broken_character_survives_in_no_public_text():
    # C6.4: what is released can be encoded; the user's own message stays as it was written
    state, _ = asked(human("broken \ud83d character"))
    state["messages"][-1].text.encode()
    str(state["release"]).encode()


def test_the_moment_and_its_zone_stand_behind_the_question():
    # C1.5: in the user turn, so that the prompt prefix stays stable
    moment = datetime(2026, 11, 30, 22, 3, 57, 999, tzinfo=timezone(timedelta(hours=8)))
    agent = LooseModel(moves=[MISSING_CONTEXT], last=MISSING_CONTEXT)
    compiled = build_graph(
        models=Models(agent=agent, router=LooseModel(moves=[], last=routed())),
        tools=[],
        invocations=SqliteInvocationStore(":memory:"),
        settings=Settings(time_zone="Asia/Shanghai"),
        now=lambda: moment,
    )
    state = asyncio.run(compiled.ainvoke({"messages": [("user", "昨天失败")]}))
    assert agent.requests[0][-1].text == (
        "昨天失败\n\n[asked at 2026-11-30T22:03:57+08:00, time zone Asia/Shanghai]"
    )
    assert state["release"]["fallback"]["type"] == "MISSING_REQUIRED_CONTEXT"


def test_the_clock_runs_in_the_configured_zone():
    # C1.5
    state, _ = asked(human("why?"), settings={"time_zone": "Asia/Tokyo"})
    at = datetime.fromisoformat(state["run"]["asked_at"])
    assert at.utcoffset() == timedelta(hours=9)
    assert abs(datetime.now(UTC) - at) < timedelta(hours=1)


@pytest.mark.parametrize(("question", "language"), [("为什么失败", "zh"), ("why", "en")])
def test_the_answer_speaks_the_language_of_the_question(question, language):
    # C6.3
    state, bench = asked(human(question))
    assert state["run"]["language"] == language
    assert ("需要补充信息" in state["messages"][-1].text) is (language == "zh")
    prompt = bench.requests[0][0].text
    assert prompt.startswith("你协助工程师" if language == "zh" else "You help engineers")


def test_the_nine_events_of_a_question_without_context():
    # C7.1
    state, _ = asked(human("诊断切换企业失败的问题"))
    assert [event["type"] for event in state["trace"]] == [
        "RUN_STARTED",
        "ROUTING_ATTEMPT",
        "MODEL_TOKEN_USAGE",
        "ROUTING_DECISION",
        "MODEL_TOKEN_USAGE",
        "AGENT_MODEL_STEP",
        "EVIDENCE_GUARD_INITIAL",
        "RELEASE_DECISION",
        "RUN_FINISHED",
    ]
    assert state["usage"]["tool_calls"] == 0
