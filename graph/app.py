"""From settings to real parts: the only place that touches the world.

`make_graph` is the factory that `langgraph.json` serves; the server brings its own checkpointer.
`open_graph` is the same graph with the configured sessions, for the command line.
"""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from functools import lru_cache
from typing import Any

from langgraph.types import Checkpointer

from graph.build import DiagnosisGraph, build_graph
from graph.models import Models
from graph.offline import offline_models
from graph.provider import make_models
from graph.settings import Settings
from graph.sources import make_tools
from graph.stores.records import make_store
from graph.stores.sessions import open_sessions
from tools.evidence import EvidenceTool
from tools.invocations import InvocationStore

_serving = threading.Lock()


def assemble(
    settings: Settings,
    *,
    models: Models | None = None,
    tools: Sequence[EvidenceTool[Any]] | None = None,
    store: InvocationStore | None = None,
    checkpointer: Checkpointer = None,
) -> DiagnosisGraph:
    """The graph on real parts; blocking. Raises `SettingsError` when a setting is wrong."""
    return build_graph(
        models=models or make_models(settings.models, os.environ),
        tools=tools if tools is not None else make_tools(settings),
        invocations=store or make_store(settings),
        settings=settings,
        checkpointer=checkpointer,
    )


@asynccontextmanager
async def open_graph(
    settings: Settings, *, session: str | None = None
) -> AsyncIterator[DiagnosisGraph]:
    """The graph with its sessions, runs and traces in the configured stores, closed at the end.

    `session` is held until then: only one process runs in it, another gets `SessionBusy`. Without
    one, past runs are only read, so that no provider or source is needed.
    """
    store = make_store(settings)
    async with (
        open_sessions(settings) as sessions,
        nullcontext() if session is None else sessions.hold(session),
    ):
        try:
            yield await asyncio.to_thread(
                assemble,
                settings,
                models=offline_models() if session is None else None,
                tools=[] if session is None else None,
                store=store,
                checkpointer=sessions.saver,
            )
        finally:
            await store.aclose()


async def make_graph() -> DiagnosisGraph:
    """The graph for the LangGraph server, from environment and `diagnosis.toml`, made once."""
    return await asyncio.to_thread(_served)


def _served() -> DiagnosisGraph:
    with _serving:
        return _made_once()


@lru_cache(maxsize=1)
def _made_once() -> DiagnosisGraph:
    return assemble(Settings())
