"""The graph behind the real LangGraph server: no key, no network, everything through its client."""

import re
from collections.abc import AsyncIterator, Iterator
from typing import Any, get_type_hints

import pytest
import pytest_asyncio
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from graph.state import InputState, OutputState, State
from tests.fakes.alerts import alertmanager
from tests.wiring.dev_server import PROGRAM, DevServer, running

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="the langgraph command is not installed")

NO_CONTEXT = "诊断切换企业失败的问题"
CONTEXT = (
    "企业 海蓝物流（tenant ent_hailan）用户 u_20417 自 2026-03-12 10:05（北京时间）起切换企业失败，"
    "报错 ENT_SWITCH_MEMBERSHIP_UNRESOLVED，诊断切换企业失败的问题"
)
NODES = ["begin", "route", "model", "envelope_gate", "tool", "stop_required", "release"]
EDGES = {
    "__start__": {"begin"},
    "begin": {"route"},
    "route": {"model", "release"},
    "model": {"envelope_gate", "release"},
    "envelope_gate": {"tool", "envelope_gate", "model", "stop_required", "release"},
    "tool": {"envelope_gate", "model", "stop_required"},
    "stop_required": {"model", "release"},
    "release": {"__end__"},
}
NINE_EVENTS = [
    *("RUN_STARTED", "ROUTING_ATTEMPT", "MODEL_TOKEN_USAGE", "ROUTING_DECISION"),
    *("MODEL_TOKEN_USAGE", "AGENT_MODEL_STEP", "EVIDENCE_GUARD_INITIAL", "RELEASE_DECISION"),
    "RUN_FINISHED",
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevServer]:
    with running(tmp_path_factory.mktemp("server")) as started:
        yield started


@pytest_asyncio.fixture
async def client(server: DevServer) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=server.url) as opened:
        yield opened


async def assistant(client: LangGraphClient) -> str:
    (only,) = await client.assistants.search()
    assert only["graph_id"] == "diagnosis"
    return only["assistant_id"]


async def new_thread(client: LangGraphClient) -> str:
    return (await client.threads.create())["thread_id"]


async def ask(client: LangGraphClient, thread: str, question: str) -> list[dict[str, Any]]:
    """The custom events of one run."""
    events = []
    stream = client.runs.stream(
        thread,
        "diagnosis",
        input={"messages": [{"role": "user", "content": question}]},
        stream_mode=["custom"],
    )
    async for part in stream:
        assert part.event in ("metadata", "custom"), part
        if part.event == "custom":
            events.append(part.data)
    return events


async def values(client: LangGraphClient, thread: str) -> dict[str, Any]:
    state = await client.threads.get_state(thread)
    assert state["next"] == []
    found: dict[str, Any] = state["values"]  # type: ignore[assignment]
    return found


async def test_an_alert_is_an_input(client: LangGraphClient) -> None:
    thread = await new_thread(client)
    await client.runs.wait(thread, "diagnosis", input={"alert": alertmanager()})
    asked, answered = (await values(client, thread))["messages"]
    assert "service: billing-portal" in asked["content"].splitlines()
    assert "billing-portal" in answered["content"]
    schemas = await client.assistants.get_schemas(await assistant(client))
    assert "alert" in schemas["input_schema"]["properties"]  # type: ignore[index]


async def test_the_served_graph_has_every_node_and_edge(client: LangGraphClient) -> None:
    # C1
    drawn = await client.assistants.get_graph(await assistant(client))
    assert [node["id"] for node in drawn["nodes"]] == ["__start__", *NODES, "__end__"]
    edges: dict[str, set[str]] = {}
    for edge in drawn["edges"]:
        edges.setdefault(edge["source"], set()).add(edge["target"])
    assert edges == EDGES


async def test_the_schemas_are_those_of_the_typed_state(client: LangGraphClient) -> None:
    # C1.2: counters and limits are visible as such
    schemas = await client.assistants.get_schemas(await assistant(client))
    for name, declared in {
        "input_schema": InputState,
        "output_schema": OutputState,
        "state_schema": State,
    }.items():
        fields = set(schemas[name]["properties"])  # type: ignore[literal-required]
        assert fields == set(get_type_hints(declared)) - {"remaining_steps"}, name
    assert "consecutive_no_gain" in str(schemas["state_schema"])
    assert "stop_after_consecutive_no_gain" in str(schemas["state_schema"])


async def test_a_question_streams_the_public_events_in_order(client: LangGraphClient) -> None:
    # C7.1
    thread = await new_thread(client)
    events = await ask(client, thread, NO_CONTEXT)
    names = [event["event"] for event in events]
    assert names == [
        *("metadata", "ROUTING", "DIAGNOSIS_RUNNING"),
        *["progress"] * len(NINE_EVENTS),
        *("SAFE_FALLBACK", "done"),
    ]
    traced = [event["data"] for event in events if event["event"] == "progress"]
    assert [event["type"] for event in traced] == NINE_EVENTS
    state = await values(client, thread)
    assert state["trace"] == traced
    assert events[-2]["data"] == state["release"]
    assert events[-1]["data"] == {"outcome": "FALLBACK"}
    assert events[0]["data"] == {
        "run_id": state["release"]["run_id"],
        "session_id": thread,
    }


async def test_a_follow_up_with_the_context_finds_the_cause(
    client: LangGraphClient, server: DevServer
) -> None:
    # C1.3, C1.6: one thread, two runs, no progress shared
    thread = await new_thread(client)
    await ask(client, thread, NO_CONTEXT)
    first = await values(client, thread)
    assert first["release"]["fallback"]["type"] == "MISSING_REQUIRED_CONTEXT"
    assert first["usage"]["tool_calls"] == 0
    events = await ask(client, thread, CONTEXT)
    second = await values(client, thread)
    assert [event["event"] for event in events][-2:] == ["RESULT", "done"]
    assert second["release"]["outcome"] == "SUCCESS"
    assert second["release"]["run_id"] != first["release"]["run_id"]
    assert second["usage"]["tool_calls"] > 0
    assert [event["seq"] for event in second["trace"]] == list(range(1, len(second["trace"]) + 1))
    said = [(message["type"], message["content"]) for message in second["messages"]]
    assert [kind for kind, _ in said] == ["human", "ai", "human", "ai"]
    assert [text for kind, text in said if kind == "human"] == [NO_CONTEXT, CONTEXT]
    assert said[:2] == [(m["type"], m["content"]) for m in first["messages"]]
    run_ids = await history(client, thread)
    assert run_ids == [second["release"]["run_id"], first["release"]["run_id"]]


async def history(client: LangGraphClient, thread: str) -> list[str]:
    """The runs of the thread's checkpoints, the latest first; every checkpoint is whole."""
    seen: dict[str, None] = {}
    for state in await client.threads.get_history(thread, limit=200):
        seen[state["metadata"]["run_id"]] = None  # type: ignore[index]
        found: dict[str, Any] = state["values"]  # type: ignore[assignment]
        if state["next"] not in (["__start__"], ["begin"]):
            assert found["progress"]["limits"]["max_tool_calls"] == 8
            assert len(found["trace"]) >= 1
    return list(seen)


async def test_the_same_question_twice_on_one_thread_is_two_whole_runs(
    client: LangGraphClient,
) -> None:
    # C1.3
    thread = await new_thread(client)
    for _ in range(2):
        await ask(client, thread, NO_CONTEXT)
        state = await values(client, thread)
        assert [event["type"] for event in state["trace"]] == NINE_EVENTS
        assert len(state["steps"]) == 1
    assert [message["type"] for message in state["messages"]] == ["human", "ai", "human", "ai"]


async def test_the_server_has_nothing_to_complain_of(
    client: LangGraphClient, server: DevServer
) -> None:
    thread = await new_thread(client)
    await ask(client, thread, CONTEXT)
    complaints = re.compile(r"blocking|deserializ|serializ|msgpack|Traceback|will be blocked", re.I)
    assert [line for line in server.said().splitlines() if complaints.search(line)] == []
