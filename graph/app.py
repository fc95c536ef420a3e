"""From settings to real parts: the only place that touches the world.

`make_graph` is the factory that `langgraph.json` serves; the server brings its own checkpointer.
"""

import asyncio
import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from langgraph.types import Checkpointer

from graph.build import DiagnosisGraph, build_graph
from graph.provider import make_models
from graph.settings import Settings
from tools.evidence import EvidenceTool
from tools.invocations import InvocationStore

RECORDS_FILE = "invocations.sqlite"
SESSIONS_FILE = "sessions.sqlite"
INCIDENT_FILE = "incident.sqlite"


def data_dir(settings: Settings) -> Path:
    """Where sessions and records lie: the configured folder, or the user's data folder (XDG)."""
    if settings.data_dir is not None:
        return settings.data_dir.expanduser()
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "incident-diagnosis-agent"


def private_dir(folder: Path) -> Path:
    """The folder, made readable by its owner only."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def make_tools(settings: Settings) -> list[EvidenceTool[Any]]:
    """The three sources: the team's where configured, else the incident that ships with us."""
    from graph.incident import KNOWLEDGE, LOGS, build_database
    from tools.knowledge import KnowledgeTool
    from tools.logs import LogsTool
    from tools.sql import SqlTool

    sources = settings.sources
    database = sources.database
    if database is None:
        file = private_dir(data_dir(settings)) / INCIDENT_FILE
        build_database(file)
        database = f"sqlite:///{file}"
    return [
        KnowledgeTool(sources.knowledge or KNOWLEDGE),
        LogsTool(sources.logs or LOGS, default_timezone=sources.logs_time_zone),
        SqlTool(database),
    ]


def make_store(settings: Settings) -> InvocationStore:
    """The embedded canonical store under the data folder."""
    from tools.sqlite_invocations import SqliteInvocationStore

    return SqliteInvocationStore(private_dir(data_dir(settings)) / RECORDS_FILE)


def assemble(
    settings: Settings,
    *,
    tools: Sequence[EvidenceTool[Any]] | None = None,
    store: InvocationStore | None = None,
    checkpointer: Checkpointer = None,
) -> DiagnosisGraph:
    """The graph on real parts. Raises `SettingsError` when a setting is wrong."""
    return build_graph(
        models=make_models(settings.models, os.environ),
        tools=tools if tools is not None else make_tools(settings),
        invocations=store or make_store(settings),
        settings=settings,
        checkpointer=checkpointer,
    )


async def make_graph() -> DiagnosisGraph:
    """The graph for the LangGraph server, from environment and `diagnosis.toml`, made once."""
    return await asyncio.to_thread(_served)


@lru_cache(maxsize=1)
def _served() -> DiagnosisGraph:
    return assemble(Settings())
