"""The compiled graph as callers hold it: LangGraph's own, but never with too few steps (C1.4)."""

from collections.abc import AsyncIterator
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph

from graph.state import InputState, OutputState, State

LEAST_STEPS = 4
"""What `begin`, `route` and `release` take: LangGraph refuses the last step of a smaller limit."""


class DiagnosisGraph(CompiledStateGraph[State, None, InputState, OutputState]):
    """Every way of running it (`ainvoke`, events, the server) comes through `astream`."""

    def astream(
        self, input: Any, config: RunnableConfig | None = None, **options: Any
    ) -> AsyncIterator[Any]:
        """As in the base; a recursion limit below `LEAST_STEPS` is lifted to it, so that the run
        ends in a release instead of `GraphRecursionError`."""
        given: RunnableConfig = config or {}
        own: RunnableConfig = self.config or {}
        limit = given.get("recursion_limit", own.get("recursion_limit", LEAST_STEPS))
        if 0 < limit < LEAST_STEPS:
            config = {**given, "recursion_limit": LEAST_STEPS}
        return super().astream(input, config, **options)
