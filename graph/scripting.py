"""The blocking helper for scripts."""

import asyncio
import uuid
from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig

from graph.build import DiagnosisGraph


def diagnose(graph: DiagnosisGraph, question: str, session_id: str | None = None) -> dict[str, Any]:
    """Diagnose one question and return the graph's state; without an id in a session of its own.
    Not for use inside an event loop."""
    config: RunnableConfig = {"configurable": {"thread_id": session_id or uuid.uuid4().hex}}
    return asyncio.run(_diagnosed(graph, question, config))


async def _diagnosed(
    graph: DiagnosisGraph, question: str, config: RunnableConfig
) -> dict[str, Any]:
    state: dict[str, Any] = await graph.ainvoke({"messages": [HumanMessage(question)]}, config)
    return state
