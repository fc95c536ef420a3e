"""The three graphs that do the same rounds: a hand-written loop, `create_agent`, and ours.

Each is compiled once with one saver or none; a run is one question on a thread of its own.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.messages import SystemMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, MessagesState, StateGraph

from graph import Settings, build_graph
from tests.benchmarks.rounds import (
    PROMPT,
    QUESTION,
    TOOL,
    OneKilobyte,
    diagnosis_models,
    found_text,
    plain_model,
    roomy_budget,
)
from tools.invocations import InvocationStore

LOOP, AGENT, OURS = "two-node loop", "create_agent + limits", "diagnosis graph"
THREE_NODES = "three-node loop"
Saver = BaseCheckpointSaver[Any] | None


@dataclass(frozen=True, slots=True)
class Contender:
    """`run(thread_id)` asks one question and returns the number of rounds that were made."""

    name: str
    graph: Any
    run: Callable[[str], Awaitable[int]]


def contenders(rounds: int, saver: Saver, store: InvocationStore) -> list[Contender]:
    """All three, for runs of `rounds` tool calls."""
    return [loop(rounds, saver), agent(rounds, saver), ours(rounds, saver, store)]


def three_nodes(rounds: int, saver: Saver = None) -> Contender:
    """The hand-written loop with a node between that does nothing: the least that a gate costs."""
    return _loop(THREE_NODES, rounds, saver, gated=True)


def loop(rounds: int, saver: Saver = None) -> Contender:
    """What one writes by hand: a model node, a tool node, an edge back."""
    return _loop(LOOP, rounds, saver, gated=False)


def _loop(name: str, rounds: int, saver: Saver, *, gated: bool) -> Contender:
    model, tool = plain_model(rounds), _one_kilobyte_tool()
    system = SystemMessage(PROMPT)

    async def ask(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await model.ainvoke([system, *state["messages"]])]}

    async def act(state: MessagesState) -> dict[str, Any]:
        calls = state["messages"][-1].tool_calls  # type: ignore[union-attr]
        return {
            "messages": [
                ToolMessage(await tool.ainvoke(call["args"]), tool_call_id=call["id"], name=TOOL)
                for call in calls
            ]
        }

    async def gate(state: MessagesState) -> dict[str, Any]:
        return {}

    def after_ask(state: MessagesState) -> Literal["gate", "act", "__end__"]:
        if not state["messages"][-1].tool_calls:  # type: ignore[union-attr]
            return END
        return "gate" if gated else "act"

    graph = StateGraph(MessagesState)
    graph.add_node("ask", ask)
    graph.add_node("act", act)
    graph.add_node("gate", gate)
    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", after_ask)
    graph.add_edge("gate", "act")
    graph.add_edge("act", "ask")
    return _on_messages(name, graph.compile(checkpointer=saver))


def agent(rounds: int, saver: Saver = None) -> Contender:
    """LangChain's own loop, bounded by both of its call limits."""
    from langchain.agents import create_agent
    from langchain.agents.middleware import ModelCallLimitMiddleware, ToolCallLimitMiddleware

    compiled = create_agent(
        plain_model(rounds),
        tools=[_one_kilobyte_tool()],
        system_prompt=PROMPT,
        middleware=[
            ModelCallLimitMiddleware(run_limit=rounds + 10),
            ToolCallLimitMiddleware(run_limit=rounds + 1),
        ],
        checkpointer=saver,
    )
    return _on_messages(AGENT, compiled)


def ours(rounds: int, saver: Saver, store: InvocationStore) -> Contender:
    """The diagnosis graph, its canonical records in `store`."""
    graph = build_graph(
        models=diagnosis_models(rounds),
        tools=[OneKilobyte()],
        invocations=store,
        settings=Settings(harness=roomy_budget(rounds)),
        checkpointer=saver,
    )

    async def run(thread_id: str) -> int:
        state = await graph.ainvoke(_question(), _thread(thread_id))
        return int(state["usage"]["tool_calls"])

    return Contender(OURS, graph, run)


def _on_messages(name: str, graph: Any) -> Contender:
    async def run(thread_id: str) -> int:
        state = await graph.ainvoke(_question(), _thread(thread_id))
        return _tool_messages(state["messages"])

    return Contender(name, graph, run)


def _tool_messages(messages: Sequence[Any]) -> int:
    return sum(message.type == "tool" for message in messages)


def _one_kilobyte_tool() -> BaseTool:
    async def query_logs(keyword: str) -> str:
        """Finds log lines by keyword."""
        return found_text(keyword)

    return StructuredTool.from_function(coroutine=query_logs, name=TOOL)


def _question() -> dict[str, Any]:
    return {"messages": [("user", QUESTION)]}


def _thread(thread_id: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": thread_id}, "recursion_limit": 10_000}
