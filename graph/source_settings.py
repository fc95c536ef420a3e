"""Where evidence lies: one section a source; what is not named comes from the shipped incident."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

from graph.plugin_settings import McpServerSettings, ServerName
from graph.time_zones import ZoneName

PythonPlace = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")]


class SourceSettings(BaseModel):
    """The evidence sources of a team.

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
    logs: Path | None = None
    database: str | None = None
    logs_time_zone: ZoneName = "UTC"
    tools: tuple[PythonPlace, ...] = ()
    mcp: dict[ServerName, McpServerSettings] = {}
