"""The overview that comes first when not all matches are shown.

It says how many, in which window and zone, at which levels, which messages are rare and which are
frequent, so that one decisive line among thousands can be asked for by keyword.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from tools.logs.levels import Level
from tools.logs.request import Window
from tools.logs.search import Totals

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SOURCE = "query_logs: summary"

_RARE = 5
_FREQUENT = 5
_TEMPLATE_CHARS = 140
_ADDRESS = r"\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b"
_ADDRESSES = 3
_ADDRESS_MATCHES = 100_000


@dataclass(frozen=True, slots=True)
class Template:
    """A kind of message: its masked text, level, how many matches, the first one's time (UTC)."""

    text: str
    level: Level | None
    events: int
    first: datetime | None

    def line(self) -> str:
        at = f" first {_moment(self.first)}" if self.first else ""
        level = f" {self.level.name}" if self.level else ""
        text = self.text if len(self.text) <= _TEMPLATE_CHARS else f"{self.text[:_TEMPLATE_CHARS]}…"
        return f"  {self.events}x{at}{level}: {text}"


def summary(
    connection: "DuckDBPyConnection",
    *,
    shown: int,
    beside: int,
    files: int,
    totals: Totals,
    window: Window,
    zone_name: str,
    remarks: list[str],
) -> str:
    """The overview of the table `matched`, a fact a line; kinds only where some are not shown."""
    levels = (
        f"{level.name if level else 'none stated'} {count}"
        for level, count in totals.by_level.items()
    )
    lines = [
        f"shown {shown} of {totals.events} matching events, in time order"
        + (f", with {beside} more near them that do not match" if beside else ""),
        f"window {_moment(window.start) or 'open'} to {_moment(window.end) or 'open'} (UTC)"
        + (f"; {files} files searched" if files else ""),
        f"matches from {_moment(totals.first) or '?'} to {_moment(totals.last) or '?'}; "
        f"times written without a zone are read as {zone_name}",
        f"levels: {', '.join(levels)}",
        *remarks,
    ]
    if shown == totals.events:
        return "\n".join(lines)
    if addresses := _addresses(connection, totals.events):
        lines.append(f"addresses in most events: {addresses}")
    kinds = _templates(connection)
    rare, frequent = kinds[:_RARE], kinds[_RARE:][: -_FREQUENT - 1 : -1]
    lines += [f"{len(kinds)} kinds of message; rarest:", *(kind.line() for kind in rare)]
    if frequent:
        lines += ["most frequent:", *(kind.line() for kind in frequent)]
    return "\n".join(lines)


def _templates(connection: "DuckDBPyConnection") -> list[Template]:
    """All kinds of message, rarest first; among equals the worse and the earlier."""
    rows = connection.execute(
        "SELECT template, level, count(*) AS events, min(placed) FROM matched WHERE inside "
        "GROUP BY template, level ORDER BY events, level DESC NULLS LAST, min(n)"
    ).fetchall()
    return [
        Template(text, None if level is None else Level(level), events, first)
        for text, level, events, first in rows
    ]


def _addresses(connection: "DuckDBPyConnection", events: int) -> str:
    if events > _ADDRESS_MATCHES:
        return ""
    rows = connection.execute(
        "SELECT address, count(*) AS events FROM (SELECT unnest(list_distinct("
        "regexp_extract_all(left(text, 2000), $address))) AS address FROM matched "
        "JOIN lines USING (file_id, line_no) WHERE inside) GROUP BY address "
        "ORDER BY events DESC, address LIMIT $most",
        {"address": _ADDRESS, "most": _ADDRESSES},
    ).fetchall()
    return ", ".join(f"{address} in {count}" for address, count in rows)


def _moment(moment: datetime | None) -> str:
    """A time as in scopes, without trailing zeros; naive ones are UTC already."""
    if moment is None:
        return ""
    text = moment.replace(tzinfo=None).isoformat(timespec="milliseconds").removesuffix(".000")
    return f"{text}Z"
