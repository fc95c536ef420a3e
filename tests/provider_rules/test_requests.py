"""What goes out over the wire for each choice, and what of a reply's usage is kept."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from graph import Settings, build_graph
from graph.provider import make_models
from graph.provider_presets import provider_presets
from graph.providers.formats import reply_schema
from release.draft import DiagnosisDraft, parse_draft
from tests.fakes.sources import KeywordSource
from tests.fakes.tiny_provider import TinyProvider, serving
from tools.invocations.sqlite import SqliteInvocationStore

MISSING = json.dumps(
    {
        "conclusion": None,
        "analysis": [],
        "limitations": {"missing_info": ["the time"], "notes": []},
        "next_steps": [],
    }
)
NAMED = [name for name in provider_presets() if name != "openai"]


@pytest.fixture
def provider() -> Iterator[TinyProvider]:
    with serving(TinyProvider(MISSING)) as running:
        yield running


def run(
    served: TinyProvider,
    *,
    question: str = "Why did it fail?",
    prompts_language: Any = "auto",
    **models: Any,
) -> dict[str, Any]:
    """One question through the real graph; the agent's is the last request."""
    settings = Settings(
        models={"name": "m", "base_url": served.url, **models},
        prompts={"language": prompts_language},
    )
    variables = {preset.api_key_env: "k" for preset in provider_presets().values()}

    async def whole() -> dict[str, Any]:
        store = SqliteInvocationStore(":memory:")
        graph = build_graph(
            models=make_models(settings.models, variables),
            tools=[KeywordSource("search")],
            invocations=store,
            settings=settings,
        )
        try:
            return await graph.ainvoke({"messages": [("user", question)]})
        finally:
            await store.aclose()

    return asyncio.run(whole())


@pytest.mark.parametrize("name", NAMED)
def test_a_request_holds_only_what_the_provider_has(provider: TinyProvider, name: str) -> None:
    preset = provider_presets()[name]
    state = run(provider, provider=name)
    assert state["release"]["fallback"]["type"] == "MISSING_REQUIRED_CONTEXT"
    router, agent = provider.bodies
    expected = {"off": False, "on": True}.get(preset.parallel_tool_calls)
    assert agent.get("parallel_tool_calls") is expected
    assert "parallel_tool_calls" not in router
    assert ("temperature" in agent) is preset.temperature
    assert [tool["function"]["name"] for tool in agent["tools"]] == ["search"]
    assert "tools" not in router  # an empty list is refused by some
    assert all("strict" not in tool["function"] for tool in agent["tools"])
    assert ("response_format" in agent) is False
    assert router.get("response_format", {"type": "text"})["type"] == preset.draft_format
    for key, value in preset.extra_body.items():
        assert router[key] == agent[key] == value


@pytest.mark.parametrize("asked", ["text", "json_object", "json_schema"])
def test_a_format_stands_beside_tools_where_the_provider_has_both(
    provider: TinyProvider, asked: str
) -> None:
    run(provider, draft_format=asked)
    kinds = [body.get("response_format", {"type": "text"})["type"] for body in provider.bodies]
    assert kinds == [asked, asked]
    assert provider.bodies[1]["tools"]
    if asked == "json_schema":
        named = [body["response_format"]["json_schema"]["name"] for body in provider.bodies]
        assert named == ["router", "agent"]


@pytest.mark.parametrize(("choice", "sent"), [("off", False), ("on", True), ("omit", None)])
def test_parallel_calls_are_off_on_or_not_spoken_of(
    provider: TinyProvider, choice: str, sent: bool | None
) -> None:
    # C2.4
    run(provider, parallel_tool_calls=choice)
    assert provider.bodies[1].get("parallel_tool_calls") is sent


@pytest.mark.parametrize("choice", [None, True, False])
def test_a_server_that_refuses_stream_options_is_sent_none(
    provider: TinyProvider, choice: bool | None
) -> None:
    # C7.3
    run(provider, stream_usage=choice)
    asked = [body.get("stream_options") for body in provider.bodies]
    assert asked == [None if choice is False else {"include_usage": True}] * 2


@pytest.mark.parametrize("choice", [None, True, False])
def test_a_server_that_cannot_stream_is_asked_for_whole_replies(
    provider: TinyProvider, choice: bool | None
) -> None:
    # C7.2
    state = run(provider, streaming=choice)
    assert [bool(body.get("stream")) for body in provider.bodies] == [choice is not False] * 2
    assert state["usage"]["total_tokens"] == 20


def test_each_component_has_its_own_model_and_body(provider: TinyProvider) -> None:
    run(provider, router={"name": "small", "extra_body": {"top_k": 1}, "temperature": 0.5})
    router, agent = provider.bodies
    assert (router["model"], agent["model"]) == ("small", "m")
    assert (router["temperature"], agent["temperature"]) == (0.5, 0)
    assert router["top_k"] == 1
    assert "top_k" not in agent


def test_the_asked_schema_is_the_draft() -> None:
    # api.md, "What the model says": what the schema forces a model to write is a draft
    keys = set(reply_schema("agent")["properties"])
    assert keys == set(DiagnosisDraft.model_fields)
    assert parse_draft(MISSING) is not None
    assert set(json.loads(MISSING)) == keys


@pytest.mark.parametrize(
    ("reported", "in_choice", "cached"),
    [
        ({"prompt_tokens_details": {"cached_tokens": 5}}, False, 5),
        ({"prompt_cache_hit_tokens": 4, "prompt_cache_miss_tokens": 3}, False, 4),
        ({"prompt_tokens_details": {"cached_tokens": 5}, "prompt_cache_hit_tokens": 4}, False, 5),
        ({"cached_tokens": 6}, False, 6),
        ({"cached_tokens": 6}, True, 6),
        ({"prompt_tokens_details": None}, False, 0),
        ({}, False, 0),
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
def test_cached_tokens_of_every_dialect_are_audited(
    reported: dict[str, Any], in_choice: bool, cached: int, streamed: bool
) -> None:
    # C7: MODEL_TOKEN_USAGE.cached_tokens
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10, **reported}
    tiny = TinyProvider(MISSING, usage=usage, usage_in_choice=in_choice and streamed)
    with serving(tiny) as provider:
        models = make_models(Settings(models={"name": "m", "base_url": provider.url}).models, {})
        models.agent.streaming = streamed
        models.router.streaming = streamed
        graph = build_graph(models=models, tools=[], invocations=SqliteInvocationStore(":memory:"))
        state = asyncio.run(graph.ainvoke({"messages": [("user", "Why did it fail?")]}))
    events = [event for event in state["trace"] if event["type"] == "MODEL_TOKEN_USAGE"]
    assert [event["cached_tokens"] for event in events] == [cached, cached]
    assert [event["input_tokens"] for event in events] == [7, 7]
    assert state["usage"]["total_tokens"] == 20


def asks_once(body: dict[str, Any]) -> Any:
    """A model that searches once, then writes its draft."""
    if "tools" not in body or body["messages"][-1]["role"] == "tool":
        return MISSING
    arguments = json.dumps({"input": {"keyword": "pool"}})
    call = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def test_the_prefix_is_the_same_bytes_in_every_round_and_run() -> None:
    # C1.5, C9: whatever order a provider's template has, tools and prompt come first and never
    # change; a later round only adds
    runs = []
    for question in ("Why did it fail?", "为什么失败？"):
        with serving(TinyProvider(asks_once)) as served:
            run(served, prompts_language="zh", question=question)
            runs.append([body for body in served.bodies if "tools" in body])
    first, second = runs[0]
    spelled = [json.dumps(message) for message in second["messages"]]
    assert spelled[: len(first["messages"])] == [json.dumps(one) for one in first["messages"]]
    assert len(spelled) == len(first["messages"]) + 2
    prefixes = {
        json.dumps([body["tools"], body["messages"][0], sorted(body)])
        for bodies in runs
        for body in bodies
    }
    assert len(prefixes) == 1
    assert first["messages"][1]["content"].startswith("Why did it fail?\n\n[asked at ")
