"""Plays one scenario through the real client and measures what came of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver

from graph import Models, Settings, build_graph
from tests.fakes.bench import QUESTION
from tests.fakes.sources import KeywordSource
from tests.wire.provider import Conversation, Provider
from tools.invocations.sqlite import SqliteInvocationStore

COMPONENTS = ("router", "agent", "evidence_repair", "semantic_guard")
DEFAULTS = {"router": [{"draft": "diagnosis"}], "semantic_guard": []}
CLIENT_SECONDS = 30.0
THREAD: Any = {"configurable": {"thread_id": "thread-1"}}
WATCHED: Any = ["updates", "custom"]


@dataclass
class Played:
    """A finished run, what left it, and what its provider saw."""

    state: dict[str, Any]
    conversation: Conversation
    runs: list[str]
    path: list[str] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)


def conversation_of(scenario: dict[str, Any]) -> Conversation:
    """The scenario's script, a router that says yes where it has none of its own."""
    given = {name: list(scenario[name]) for name in COMPONENTS if name in scenario}
    return Conversation(
        {name: list(given.get(name, DEFAULTS.get(name, []))) for name in COMPONENTS},
        tuple(scenario.get("refuses", ())),
    )


def chat_models(url: str, http: httpx.AsyncClient, **options: Any) -> Models:
    """Four real clients, which the provider tells apart by the model's name."""
    given = {
        "base_url": url,
        "api_key": "secret",
        "http_async_client": http,
        "max_retries": 0,
        "timeout": CLIENT_SECONDS,
        "stream_usage": True,
        **options,
    }
    return Models(**{name: ChatOpenAI(model=name, **given) for name in COMPONENTS})


@dataclass
class Opened:
    """A graph over real clients, and what it talks to."""

    graph: Any
    conversation: Conversation
    source: KeywordSource

    async def ask(self, question: str) -> Played:
        """One question on the thread, as a watched run."""
        played = Played({}, self.conversation, [])
        asked = {"messages": [("user", question)]}
        async for mode, chunk in self.graph.astream(asked, THREAD, stream_mode=WATCHED):
            if mode == "custom":
                played.events.append(chunk)
            else:
                played.path += chunk
        played.state = await self.state()
        played.runs = [run["keyword"][:20] for run in self.source.runs]
        return played

    async def state(self) -> dict[str, Any]:
        """The thread's, as it was written last."""
        return dict((await self.graph.aget_state(THREAD)).values)


@asynccontextmanager
async def opened(
    provider: Provider, scenario: dict[str, Any], *, wire: str
) -> AsyncIterator[Opened]:
    """`wire` is `sse`, or `json` for a model that is told not to stream."""
    conversation = conversation_of(scenario)
    options = {"disable_streaming": wire == "json", **scenario.get("client", {})}
    source = KeywordSource()
    store = SqliteInvocationStore(":memory:")
    async with httpx.AsyncClient() as http:
        graph = build_graph(
            models=chat_models(provider.converse(conversation), http, **options),
            tools=[] if scenario.get("no_tools") else [source],
            invocations=store,
            settings=Settings(harness=scenario.get("harness", {})),
            checkpointer=InMemorySaver(),
        )
        yield Opened(graph, conversation, source)
    await store.aclose()


async def play(provider: Provider, scenario: dict[str, Any], *, wire: str) -> Played:
    """The question and those that `then` follow it, on one thread; the last run is what counts."""
    async with opened(provider, scenario, wire=wire) as session:
        for question in (QUESTION, *scenario.get("then", [])):
            played = await session.ask(question)
    return played


def measured(played: Played) -> dict[str, Any]:
    """What a scenario's `expect` may name."""
    state, trace = played.state, played.state["trace"]
    release, progress, finished = state["release"], state["progress"], trace[-1]
    ends = (
        release["outcome"],
        (release["fallback"] or {}).get("type"),
        release["error_code"],
        release["stop_reason"],
    )
    return {
        "ends": " ".join(filter(None, ends)),
        "path": " ".join(played.path),
        "actions": " ".join(step["action"] for step in state["steps"]),
        "counters": [
            progress["consecutive_no_gain"],
            progress["consecutive_protocol_violations"],
        ],
        "tokens": _tokens(trace),
        "total": [finished["total_tokens"], finished["usage_unavailable"]],
        "retries": [
            f"{e['component']} {e['attempt']} {e['error_code']}"
            for e in trace
            if e["type"] == "MODEL_RETRY"
        ],
        "rejected": [
            " ".join(filter(None, (e["error_code"], e["violation_type"])))
            for e in trace
            if e["type"] == "TOOL_REQUEST_REJECTED"
        ],
        "runs": played.runs,
        "pauses": played.pauses,
        "cached": sum(e["cached_tokens"] for e in trace if e["type"] == "MODEL_TOKEN_USAGE"),
    }


def _tokens(trace: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Each component's calls in order, what each reported, null where nothing."""
    calls: dict[str, list[Any]] = {}
    for event in trace:
        if event["type"] == "MODEL_TOKEN_USAGE":
            pair = [event["input_tokens"], event["output_tokens"]]
            calls.setdefault(event["component"], []).append(pair if event["available"] else None)
    return calls
