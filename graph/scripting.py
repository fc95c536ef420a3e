"""The blocking helper for scripts."""

import asyncio
from typing import Any

from graph.build import DiagnosisGraph


def diagnose(graph: DiagnosisGraph, question: str, session_id: str | None = None) -> dict[str, Any]:
    """Diagnose one question and return the graph's state. Not for use inside an event loop."""
    config = {"configurable": {"thread_id": session_id}} if session_id else {}
    asking = graph.ainvoke({"messages": [("user", question)]}, config)
    return asyncio.run(_awaited(asking))


async def _awaited(asking: Any) -> dict[str, Any]:
    state: dict[str, Any] = await asking
    return state
