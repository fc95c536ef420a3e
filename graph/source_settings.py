"""Where evidence lies: one section a source; what is not named comes from the shipped incident."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from graph.time_zones import ZoneName


class SourceSettings(BaseModel):
    """The evidence sources of a team."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    knowledge: Path | None = None
    logs: Path | None = None
    database: str | None = None
    logs_time_zone: ZoneName = "UTC"
