"""The requests to the agent's model as they go out: what they say, how large, how stable (C9)."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from graph import Models, Settings, build_graph
from graph.sources import make_tools
from tests.benchmarks.request_size import on_the_wire, request_parts, size_of, whole
from tests.fakes.bench import Bench, play
from tests.fakes.loose_model import LooseModel
from tests.fakes.replies import MISSING_CONTEXT, PROVED, asks, call, routed
from tests.fakes.sources import KeywordSource
from tests.prompt_rules.prompt_contract import broken_rules
from tools.invocations.sqlite import SqliteInvocationStore

# none of them is a default, and no other text of a request holds one
CHAT = {
    "stop_after_consecutive_no_gain": 73,
    "stop_after_consecutive_protocol_violations": 79,
}
BUDGET = {
    "max_model_calls": 83,
    "release_reserve_calls": 61,
    "max_tool_calls": 89,
    "max_tokens": 97_001,
    "max_observation_bytes": 7_919,
    "max_run_observation_bytes": 104_729,
    "max_seconds": 613,
    "tool_timeout_seconds": 67,
}
NUMBERS = [*CHAT.values(), *BUDGET.values()]
TOOLS = ("search_tickets", "read_metrics")
QUESTIONS = {"zh": "诊断切换企业失败的问题", "en": "Why did switching the company fail?"}


def first_requests(language: str, tmp_path: Path | None = None) -> LooseModel:
    """The agent's model after one run of two rounds, with its requests and bound tools."""
    prompts = {"dir": tmp_path} if tmp_path else {}
    bench = Bench(
        agent=[asks(call("c1", "pool", tool=TOOLS[0])), PROVED],
        tools=[KeywordSource(name) for name in TOOLS],
        harness={"chat": CHAT, "budget": BUDGET},
        settings={"prompts": prompts},
    )
    play(bench, QUESTIONS[language])
    return bench.models["agent"]


def spelled(request: list[Any]) -> list[str]:
    """Each message of a request as bytes would be compared."""
    return [json.dumps(message.model_dump(), sort_keys=True) for message in request]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_first_request_says_all_and_names_nothing_of_the_harness(language):
    # C9, C3.7
    model = first_requests(language)
    text = "\n".join(message.text for message in model.requests[0])
    assert broken_rules(text, language, tool_names=TOOLS, numbers=NUMBERS) == []


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_teams_own_prompts_are_held_to_the_same(language, tmp_path):
    # C9: the glossary goes out, and what breaks the list is seen
    (tmp_path / "glossary.md").write_text("tenant-svc: 租户服务", encoding="utf-8")
    text = first_requests(language, tmp_path).requests[0][0].text
    assert text.endswith("tenant-svc: 租户服务")
    assert broken_rules(text, language, tool_names=TOOLS, numbers=NUMBERS) == []
    (tmp_path / "glossary.md").write_text("ask read_metrics 73 times", encoding="utf-8")
    text = first_requests(language, tmp_path).requests[0][0].text
    broken = broken_rules(text, language, tool_names=TOOLS, numbers=NUMBERS)
    assert broken == ["names the tool read_metrics", "names the number 73"]


def test_no_limit_stands_in_the_bound_schemas_either():
    # C3.7, C4: never shown to the model
    schemas = json.dumps(first_requests("en").bound_tools)
    assert [number for number in NUMBERS if str(number) in schemas] == []


def test_every_tool_has_its_own_typed_envelope():
    # C2: `input` is the tool's schema, and the evaluation says when to leave it out
    for bound, name in zip(first_requests("en").bound_tools, TOOLS, strict=True):
        function = bound["function"]
        assert function["name"] == name
        parameters = function["parameters"]
        assert parameters["required"] == ["input"]
        body = parameters["properties"]["input"]
        assert body["required"] == ["keyword"]
        assert set(body["properties"]) == {
            "keyword",
            "limit",
            "share",
            "level",
            "filters",
            "anything",
        }
        previous = parameters["properties"]["previous_observation"]
        assert previous["required"] == ["tool_call_id", "information_gain"]
        assert previous["properties"] == {
            "tool_call_id": {"type": "string"},
            "information_gain": {"type": "string", "enum": ["GAINED", "NO_GAIN"]},
        }
        for occasion in ("first call", "empty, failed or refused"):
            assert occasion in previous["description"]


def test_the_prefix_is_stable_across_rounds():
    # C1.5, C9: a provider's cache may keep it
    first, second = map(spelled, first_requests("zh").requests)
    assert second[: len(first)] == first
    assert len(second) == len(first) + 2


def test_the_prefix_is_stable_across_runs_and_sessions():
    # C1.5: only the user turn says when
    one, other = first_requests("zh"), first_requests("zh")
    assert spelled(one.requests[0])[:-1] == spelled(other.requests[0])[:-1]
    assert one.bound_tools == other.bound_tools


def test_the_prefix_is_stable_within_a_session():
    # C1.3, C1.6: a second run's history begins as the first run's request did
    bench = Bench(agent=[MISSING_CONTEXT, MISSING_CONTEXT])

    async def twice() -> None:
        await bench.run("first question")
        await bench.run("second question")
        await bench.store.aclose()

    asyncio.run(twice())
    first, second = bench.requests
    assert spelled(second)[0] == spelled(first)[0]
    assert second[1].text == "first question"


def test_the_first_request_is_small(tmp_path):
    # C9: with the three sources that ship, in Chinese, by both vocabularies
    model = LooseModel(moves=[], last=MISSING_CONTEXT)
    compiled = build_graph(
        models=Models(agent=model, router=LooseModel(moves=[], last=routed())),
        tools=make_tools(Settings(data_dir=tmp_path)),
        invocations=SqliteInvocationStore(":memory:"),
        now=lambda: datetime(2026, 11, 30, tzinfo=UTC),
    )
    asyncio.run(compiled.ainvoke({"messages": [("user", QUESTIONS["zh"])]}))
    text = "\n".join([model.requests[0][0].text, *map(on_the_wire, model.bound_tools)])
    size = size_of(text)
    assert len(model.bound_tools) == 3
    assert max(size.deepseek, size.qwen) < 1_500, size
    assert text == whole(request_parts("zh", tmp_path)), "what the benchmark measures goes out"
