"""Where evidence lies: one section a source; what is not named comes from the shipped incident."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

from graph.plugin_settings import McpServerSettings, ServerName
from graph.time_zones import ZoneName

PythonPlace = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")]


ColumnName = Annotated[str, StringConstraints(min_length=1, max_length=128)]


class LogsTableSettings(BaseModel):
    """The log table of a database that `logs` is the URL of, and its columns (`tools.logs.table`).

    `table` may name its schema (`ops.app_logs`). `id`: an integer that names a row; left out, it is
    the primary key.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    table: ColumnName
    time: ColumnName
    level: ColumnName
    service: ColumnName
    message: ColumnName
    id: ColumnName | None = None


class SourceSettings(BaseModel):
    """The evidence sources of a team.

    `logs`: a folder by path or `file://` URL, or the URL of a database with a `logs_table`.
    `enabled`: which of the built-in ones there are; none of them is for a team whose evidence all
    comes from plugged-in tools. `tools`: a team's own, each as `package.module:name`. `mcp`: the
    MCP servers by name.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    enabled: tuple[Literal["knowledge", "logs", "database"], ...] = (
        "knowledge",
        "logs",
        "database",
    )
    knowledge: Path | None = None
    logs: str | Path | None = None
    logs_table: LogsTableSettings | None = None
    database: str | None = None
    logs_time_zone: ZoneName = "UTC"
    tools: tuple[PythonPlace, ...] = ()
    mcp: dict[ServerName, McpServerSettings] = {}
