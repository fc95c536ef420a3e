"""The configured evidence sources as tools: a team's own, else the incident that ships with us."""

import hashlib
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graph.settings import Settings, SettingsError
from graph.stores.folder import private_dir
from tools.evidence import EvidenceTool

SHIPPED = "the incident that ships with the product"


@dataclass(frozen=True, slots=True)
class Source:
    """A tool, where it looks (credentials left out), and the arguments of a question that costs
    little, by which `diagnose doctor` learns whether it answers; None: it is not asked."""

    tool: EvidenceTool[Any]
    place: str
    probe: dict[str, Any] | None = None


def make_tools(settings: Settings) -> list[EvidenceTool[Any]]:
    """Every configured source, opened when first used. Raises `SettingsError` for a wrong one."""
    return [source.tool for source in make_sources(settings)]


def make_sources(settings: Settings) -> list[Source]:
    """The tools with what an operator wants to know of them."""
    return [*built_in_sources(settings), *own_sources(settings), *_served(settings)]


def built_in_sources(settings: Settings) -> list[Source]:
    """Those of our own that are enabled."""
    makers = {"knowledge": _knowledge, "logs": _logs, "database": _database}
    return [make(settings) for name, make in makers.items() if name in settings.sources.enabled]


def own_sources(settings: Settings) -> list[Source]:
    """A team's own tools."""
    from graph.own_tools import own_tools

    found = own_tools(settings).items()
    return [Source(tool, place) for place, tools in found for tool in tools]


def _served(settings: Settings) -> list[Source]:
    from graph.mcp_sources import server_place, tools_of_all

    return [
        Source(tool, server_place(settings.sources.mcp[name]))
        for name, tools in tools_of_all(settings).items()
        for tool in tools
    ]


def _knowledge(settings: Settings) -> Source:
    from graph.incident import KNOWLEDGE
    from tools.knowledge import KnowledgeTool

    folder = settings.sources.knowledge
    tool = KnowledgeTool(folder or KNOWLEDGE, index_folder=_index(settings, "knowledge"))
    return Source(tool, str(folder or SHIPPED), {"query": "error", "limit": 1})


def _index(settings: Settings, name: str) -> Path | None:
    """Below the data folder; None, a temporary index, where that cannot be written: it holds
    nothing that cannot be made again, so a host with all its stores elsewhere needs no disk."""
    try:
        return private_dir(settings) / name
    except SettingsError:
        return None


def _logs(settings: Settings) -> Source:
    from graph.incident import LOGS
    from graph.log_source import log_tool

    tool = log_tool(settings, LOGS, _index(settings, "logs"))
    place = without_credentials(str(settings.sources.logs or SHIPPED))
    if (table := settings.sources.logs_table) is not None:
        place = f"{place} ({table.table})"
    return Source(tool, place, {"keyword": "error", "limit": 1})


def _database(settings: Settings) -> Source:
    from tools.sql import SqlTool

    url = settings.sources.database
    place = without_credentials(url) if url else SHIPPED
    if url is None:
        url = f"sqlite:///{incident_database(private_dir(settings))}"
    try:
        tool = SqlTool(url)
    except ValueError as refused:
        raise SettingsError(f"sources.database: {refused}") from None
    return Source(tool, place, {"sql": "SELECT 1", "limit": 1})


def without_credentials(url: str) -> str:
    """An address without user, password and query, which may hold another password."""
    kind, separator, rest = url.partition("?")[0].rpartition("://")
    return f"{kind}{separator}{rest.rpartition('@')[2]}"


def incident_database(folder: Path) -> Path:
    """The shipped incident's database in `folder`, built from its SQL scripts when it is missing.

    Its folder is named by those scripts, so that a new version gets a new file; built under a
    name of its own and moved into place, so that no process ever meets half of it.
    """
    from graph.incident import SQL_SCRIPTS, build_database

    digest = hashlib.blake2b(digest_size=8)
    for script in sorted(SQL_SCRIPTS.glob("*.sql")):
        digest.update(script.read_bytes())
    built = folder / f"incident-{digest.hexdigest()}" / "incident.sqlite"
    if not built.exists():
        build_database(built.with_name(f"{uuid.uuid4().hex}.sqlite")).replace(built)
    return built
