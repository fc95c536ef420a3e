"""Which services the indexed lines speak for, and the times they cover."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True, slots=True)
class ServiceFacts:
    """A service named in the lines or by a file: its events and the times they cover, in UTC.

    `yearless` times, of lines without a year, lie in the year 2000 of the default zone.
    `file_ids` are the files that hold its lines.
    """

    name: str
    events: int
    first: datetime | None
    last: datetime | None
    yearless_first: datetime | None
    yearless_last: datetime | None
    file_ids: list[int] = field(default_factory=list)


def service_facts(connection: "DuckDBPyConnection") -> list[ServiceFacts]:
    """All services, most events first."""
    rows = connection.execute(
        "SELECT name, sum(events)::BIGINT, min(first), max(last), min(yearless_first), "
        "max(yearless_last), list(file_id ORDER BY file_id) FROM ("
        "  SELECT coalesce(l.service, f.service) AS name, file_id, count(*) AS events, "
        "  min(instant) AS first, max(instant) AS last, min(yearless) AS yearless_first, "
        "  max(yearless) AS yearless_last "
        "  FROM lines l JOIN files f USING (file_id) WHERE head GROUP BY name, file_id) "
        "GROUP BY name ORDER BY sum(events) DESC, name"
    ).fetchall()
    return [ServiceFacts(*row) for row in rows]
