"""The overview that comes first when not all matches are shown.

It says how many, in which window and zone, at which levels, which messages are rare and which are
frequent, so that one decisive line among thousands can be asked for by keyword.
"""

from datetime import datetime
from typing import TYPE_CHECKING

from tools.logs.kinds import Template, kinds
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


def summary(
    connection: "DuckDBPyConnection",
    *,
    shown: int,
    beside: int,
    files: int,
    totals: Totals,
    at_least: bool,
    window: Window,
    zone_name: str,
    remarks: list[str],
) -> str:
    """The overview of the table `matched`, a fact a line; kinds only where some are not shown."""
    levels = (
        f"{level.name if level else 'none stated'} {count}"
        for level, count in totals.by_level.items()
    )
    bound = "at least " if at_least else ""
    lines = [
        f"shown {shown} of {bound}{totals.events} matching events, in time order"
        + (f", with {beside} more near them that do not match" if beside else ""),
        f"window {_moment(window.start) or 'open'} to {_moment(window.end) or 'open'} (UTC)"
        + (f"; {files} files searched" if files else ""),
        f"matches from {_moment(totals.first) or '?'} to {_moment(totals.last) or '?'}; "
        f"times written without a zone are read as {zone_name}",
        f"levels: {', '.join(levels)}",
        *remarks,
    ]
    if shown == totals.events and not at_least:
        return "\n".join(lines)
    if addresses := _addresses(connection, totals.events):
        lines.append(f"addresses in most events: {addresses}")
    found = kinds(connection)
    rare, frequent = found[:_RARE], found[_RARE:][: -_FREQUENT - 1 : -1]
    lines += [f"{len(found)} kinds of message; rarest:", *map(_line, rare)]
    if frequent:
        lines += ["most frequent:", *map(_line, frequent)]
    return "\n".join(lines)


def _line(kind: Template) -> str:
    at = f" first {_moment(kind.first)}" if kind.first else ""
    level = f" {kind.level.name}" if kind.level else ""
    text = kind.text if len(kind.text) <= _TEMPLATE_CHARS else f"{kind.text[:_TEMPLATE_CHARS]}…"
    return f"  {kind.events}x{at}{level}: {text}"


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
