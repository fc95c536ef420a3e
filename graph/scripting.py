"""The blocking helper for scripts."""

import uuid
from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig

from graph.build import DiagnosisGraph
from graph.free_loop import run_free


def diagnose(graph: DiagnosisGraph, question: str, session_id: str | None = None) -> dict[str, Any]:
    """Diagnose one question and return the graph's state; without an id in a session of its own.
    Not for use inside an event loop. A tool or model that hangs in a thread holds up neither this
    nor the end of the script."""
    config: RunnableConfig = {"configurable": {"thread_id": session_id or uuid.uuid4().hex}}
    return run_free(_diagnosed(graph, question, config))


async def _diagnosed(
    graph: DiagnosisGraph, question: str, config: RunnableConfig
) -> dict[str, Any]:
    state: dict[str, Any] = await graph.ainvoke({"messages": [HumanMessage(question)]}, config)
    return state
