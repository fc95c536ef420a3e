"""`sources.logs` as a tool: a folder by path or `file://` URL, a log table by SQLAlchemy URL."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from graph.settings import Settings, SettingsError
from tools.evidence import EvidenceTool

_NEEDS_TABLE = "sources.logs_table: a database needs the names of the log table and its columns"


def log_tool(settings: Settings, shipped: Path, index_folder: Path | None) -> EvidenceTool[Any]:
    """The tool, not yet opened. Raises `SettingsError`, which repeats no address."""
    from tools.logs import LogsTool

    named = settings.sources.logs
    if isinstance(named, str) and "://" in named and not named.startswith("file:"):
        return _of_table(settings, named)
    if settings.sources.logs_table is not None:
        raise SettingsError("sources.logs_table: only for sources.logs that is a database's URL")
    return LogsTool(
        shipped if named is None else _folder(named),
        default_timezone=settings.sources.logs_time_zone,
        index_folder=index_folder,
    )


def _folder(named: str | Path) -> Path:
    if isinstance(named, Path) or not named.startswith("file:"):
        return Path(named)
    url = urlsplit(named)
    if url.netloc not in ("", "localhost") or not url.path.startswith("/"):
        raise SettingsError("sources.logs: a file URL names a folder of this host: file:///folder")
    return Path(url2pathname(url.path))


def _of_table(settings: Settings, url: str) -> EvidenceTool[Any]:
    from tools.databases.urls import names_a_file, server_url
    from tools.logs import LogColumns, LogTableTool

    try:
        if not names_a_file(url):
            server_url(url)
    except ValueError as wrong:  # which says no more than what is wrong with it
        raise SettingsError(f"sources.logs: {wrong}") from None
    table = settings.sources.logs_table
    if table is None:
        raise SettingsError(_NEEDS_TABLE)
    columns = LogColumns(**table.model_dump())
    return LogTableTool(url, columns, default_timezone=settings.sources.logs_time_zone)
