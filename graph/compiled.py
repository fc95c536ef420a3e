"""The compiled graph as callers hold it: LangGraph's own, with six of its traps closed (C1).

- A recursion limit below `LEAST_STEPS` would end in `GraphRecursionError` instead of a release.
- A question under a run id that the thread has released already would be taken for a resumption,
  and dropped without a word; it gets a run id of its own.
- A thread that another version wrote would be read as if this one had; it is refused by name.
- A cancelled run would be left without a release, its last call unanswered: it is ended as
  CANCELLED before the cancellation goes on. A stream that its reader merely leaves stays resumable.
- A run that was cut off before `begin` would leave its question without an answer; a new question
  first ends it as CANCELLED, too (C1.6).
- The versions in its checkpoints would take more room than what a run writes; they are spelt short.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from graph.cancellation import close_cancelled, close_unbegun
from graph.short_checkpoints import with_short_checkpoints
from graph.state import SCHEMA_VERSION, InputState, OutputState, State

SCHEMA_KEY = "schema_version"
"""In the metadata of every checkpoint: readable before any reducer meets what it stores."""

_INJECTED_SAVER = "__pregel_checkpointer"
LEAST_STEPS = 4
"""What `begin`, `route` and `release` take: LangGraph refuses the last step of a smaller limit."""


class OtherSchema(Exception):
    """The session was written by another version of the state. It stays as it is."""

    code = "SESSION_OTHER_SCHEMA"

    def __init__(self) -> None:
        super().__init__(f"the session was begun by another version; use a new one ({self.code})")


class DiagnosisGraph(CompiledStateGraph[State, None, InputState, OutputState]):
    """Every way of running it (`ainvoke`, events, the server) comes through `astream`."""

    async def astream(
        self, input: Any, config: RunnableConfig | None = None, **options: Any
    ) -> AsyncIterator[Any]:
        """As in the base, see the module. `run_id` may stand in `configurable` or beside it."""
        config = _with_run_id(self._with_own(config or {}))
        saved = await self.refuse_other_schema(config)
        resumed = input is None or isinstance(input, Command)
        if not resumed:
            await close_unbegun(self, config, saved)
            config = await self._with_unused_run_id(config)
        reader = asyncio.current_task()
        parts: Any = super().astream(input, config, **options)
        try:
            async with aclosing(parts):
                async for part in parts:
                    yield part
                    reader = asyncio.current_task()
        except (asyncio.CancelledError, GeneratorExit) as end:
            if isinstance(end, asyncio.CancelledError) or _is_cancelled(reader):
                await close_cancelled(self, config, resumed=resumed)
            raise

    def _resolve_checkpointer(self, config: RunnableConfig) -> BaseCheckpointSaver[Any] | None:
        saver = super()._resolve_checkpointer(config)
        return with_short_checkpoints(saver) if isinstance(saver, BaseCheckpointSaver) else saver

    async def refuse_other_schema(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint that a run would go on from. Raises `OtherSchema` for a thread whose
        checkpoints another version wrote (C1.5)."""
        place = config.get("configurable", {})
        saver = place.get(_INJECTED_SAVER, self.checkpointer)
        if not isinstance(saver, BaseCheckpointSaver) or "thread_id" not in place:
            return None
        saved = await saver.aget_tuple(config)
        written_by = dict(saved.metadata).get(SCHEMA_KEY) if saved else SCHEMA_VERSION
        if written_by != SCHEMA_VERSION:
            raise OtherSchema
        return saved

    def _with_own(self, config: RunnableConfig) -> RunnableConfig:
        """The configuration with what the graph is bound to, and the least steps at least."""
        own: RunnableConfig = self.config or {}
        named = {**own.get("configurable", {}), **config.get("configurable", {})}
        limit = config.get("recursion_limit", own.get("recursion_limit", LEAST_STEPS))
        if 0 < limit < LEAST_STEPS:
            config = {**config, "recursion_limit": LEAST_STEPS}
        return {**config, "configurable": named}

    async def _with_unused_run_id(self, config: RunnableConfig) -> RunnableConfig:
        named = config["configurable"]
        if not named.get("thread_id"):
            return config
        if named.get("run_id") is None:
            return _configured(config, str(uuid.uuid4()))
        try:
            thread = await self.aget_state(config)
        except ValueError:
            return config  # no checkpointer or no thread: LangGraph itself says what is wrong
        if any(message.id == str(named["run_id"]) for message in thread.values.get("messages", [])):
            return _configured(config, str(uuid.uuid4()))
        return config


def _is_cancelled(reader: asyncio.Task[Any] | None) -> bool:
    """Whether who read the stream last was cancelled outside of it, and so left it."""
    return reader is not None and (reader.cancelled() or reader.cancelling() > 0)


def _with_run_id(config: RunnableConfig) -> RunnableConfig:
    """The run id where nodes and checkpoints see it: LangGraph keeps one beside it for tracers."""
    beside = config.get("run_id")
    if beside is None or config.get("configurable", {}).get("run_id"):
        return config
    return _configured(config, str(beside))


def _configured(config: RunnableConfig, run_id: str) -> RunnableConfig:
    return {**config, "configurable": {**config.get("configurable", {}), "run_id": run_id}}
