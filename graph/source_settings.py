"""Where evidence lies: one section a source; what is not named comes from the shipped incident."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from graph.plugin_settings import McpServerSettings, ServerName
from graph.time_zones import ZoneName


class SourceSettings(BaseModel):
    """The evidence sources of a team.

    `enabled`: which of the built-in ones there are; none of them is for a team whose evidence all
    comes from plugged-in tools.
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
    mcp: dict[ServerName, McpServerSettings] = {}
