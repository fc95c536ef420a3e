"""Which events match a question: filters in SQL, into one temporary table of matches.

The year of a line without one is the latest year of the window that puts it inside; with only a
start or an end, that bound's year. Without a window no year is assumed. A line without any time
matches only where no window is asked for.
"""

import re
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Any

from tools.logs.levels import Level
from tools.logs.request import Window, naive_utc
from tools.logs.services import Meant
from tools.logs.zones import local_to_utc_sql

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_YEARS_TRIED = 8


@dataclass(frozen=True, slots=True)
class Filters:
    """A resolved question; None filters nothing. `file_ids` hold all lines that are meant."""

    meant: Meant | None
    file_ids: list[int]
    window: Window
    level: Level | None
    keyword: str | None


@dataclass(frozen=True, slots=True)
class Totals:
    """All matches, before any limit. Times are UTC, None when no match has one.

    `timeless` counts lines that match but for the window, having no time to compare.
    """

    events: int
    first: datetime | None
    last: datetime | None
    by_level: dict[Level | None, int]
    yearless: int
    broken: int
    timeless: int


def match(connection: "DuckDBPyConnection", filters: Filters, zone: tzinfo) -> Totals:
    """Put all matches into the temporary table `matched`, numbered in time order by `n`.

    Columns: n, file_id, line_no, placed (UTC), level, template, inside. Rows that are not `inside`
    are the timeless ones.
    """
    if filters.keyword is not None:
        _find_keyword(connection, filters)
    where, parameters = _conditions(filters)
    placed = _placed_sql(filters.window, zone, parameters)
    connection.execute(
        f"""
CREATE OR REPLACE TEMP TABLE matched AS
WITH kept AS (
  SELECT l.file_id, l.line_no, l.yearless, l.level, l.template, l.broken, f.path,
         {placed} AS placed
  FROM lines l JOIN files f USING (file_id)
       {"JOIN hits h ON h.file_id = l.file_id AND h.head_no = l.line_no" if filters.keyword else ""}
  WHERE {" AND ".join(["l.head", *where])}),
sided AS (
  SELECT *, {_inside_sql("placed", filters.window, parameters)} AS inside FROM kept)
SELECT row_number() OVER (
         ORDER BY inside DESC, placed NULLS LAST, yearless NULLS LAST, path, line_no) AS n,
       file_id, line_no, placed, yearless, level, template, broken, inside
FROM sided WHERE inside OR (placed IS NULL AND yearless IS NULL)""",
        parameters,
    )
    return _totals(connection)


def forget_matches(connection: "DuckDBPyConnection") -> None:
    """Drop the tables of a question, which may be as large as the index."""
    for table in ("matched", "hits"):
        connection.execute(f"DROP TABLE IF EXISTS {table}")


def keyword_pattern(keyword: str) -> str:
    """The RE2 pattern of a literal keyword: any case, any white space between its words."""
    return "(?i)" + r"\s+".join(re.escape(word) for word in keyword.split())


def _find_keyword(connection: "DuckDBPyConnection", filters: Filters) -> None:
    """Put the events that hold the keyword into the temporary table `hits`."""
    where = "(regexp_matches(text, $keyword) OR regexp_matches(folded, $keyword))"
    if (files := _files_to_look_at(connection, filters)) is not None:
        where += f" AND file_id IN ({_listed(files)})"
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE hits AS "
        f"SELECT DISTINCT file_id, head_no FROM lines WHERE {where}",
        {"keyword": keyword_pattern(filters.keyword or "")},
    )


def _files_to_look_at(connection: "DuckDBPyConnection", filters: Filters) -> list[int] | None:
    """The files that may hold a match, told by service and times alone; None for all. The text of
    others need not be unpacked."""
    files = None if filters.meant is None else filters.file_ids
    if filters.window.start is None and filters.window.end is None:
        return files
    parameters: dict[str, Any] = {}
    inside = _inside_sql("instant", filters.window, parameters)
    about = "" if files is None else f" AND file_id IN ({_listed(files)})"
    rows = connection.execute(
        f"SELECT DISTINCT file_id FROM lines WHERE head AND (instant IS NULL OR {inside}){about}",
        parameters,
    ).fetchall()
    return [file_id for (file_id,) in rows]


def _listed(file_ids: list[int]) -> str:
    """Ids of our own as SQL: constants let whole files be passed over."""
    return ", ".join(map(str, file_ids)) or "NULL"


def _conditions(filters: Filters) -> tuple[list[str], dict[str, Any]]:
    where: list[str] = []
    parameters: dict[str, Any] = {}
    if filters.meant is not None:
        where.append(
            "(coalesce(l.service, f.service) IN (SELECT unnest($services)) "
            "OR l.file_id IN (SELECT unnest($files)))"
        )
        parameters["services"] = filters.meant.services
        parameters["files"] = filters.meant.file_ids
        where.append(f"l.file_id IN ({_listed(filters.file_ids)})")
    if filters.window.start is not None or filters.window.end is not None:
        # says nothing new, but lets whole groups of lines be passed over by their times
        where.append(
            f"(l.instant IS NULL OR {_inside_sql('l.instant', filters.window, parameters)})"
        )
    if filters.level is not None:
        where.append("l.level >= $level")
        parameters["level"] = filters.level.value
    return where, parameters


def _placed_sql(window: Window, zone: tzinfo, parameters: dict[str, Any]) -> str:
    """The instant of a line, a year supplied where the window can."""
    bounds = [bound.astimezone(zone) for bound in (window.start, window.end) if bound]
    if not bounds:
        return "l.instant"
    years = range(bounds[-1].year, bounds[0].year - 1, -1)
    parameters["years"] = list(years)[:_YEARS_TRIED]
    first = window.start and window.start.astimezone(zone).replace(tzinfo=None)
    last = window.end and window.end.astimezone(zone).replace(tzinfo=None)
    parameters["local_start"] = first or datetime(1900, 1, 1)
    parameters["local_end"] = last or datetime(2199, 12, 31)
    local = (
        "list_filter(list_transform($years, lambda y: l.yearless + to_years((y - 2000)::INT)), "
        "lambda t: t BETWEEN $local_start AND $local_end AND day(t) = day(l.yearless))[1]"
    )
    return f"coalesce(l.instant, {local_to_utc_sql(local, zone)})"


def _inside_sql(instant: str, window: Window, parameters: dict[str, Any]) -> str:
    if window.start is None and window.end is None:
        return "TRUE"
    bounds = [f"{instant} IS NOT NULL"]
    if window.start is not None:
        bounds.append(f"{instant} >= $start")
        parameters["start"] = naive_utc(window.start)
    if window.end is not None:
        bounds.append(f"{instant} <= $end")
        parameters["end"] = naive_utc(window.end)
    return f"({' AND '.join(bounds)})"


def _totals(connection: "DuckDBPyConnection") -> Totals:
    levels = connection.execute(
        "SELECT level, count(*) FROM matched WHERE inside GROUP BY level ORDER BY level DESC"
    ).fetchall()
    row = connection.execute(
        "SELECT count(*) FILTER (inside), "
        "min(placed) FILTER (inside), max(placed) FILTER (inside), "
        "count(*) FILTER (inside AND yearless IS NOT NULL), count(*) FILTER (inside AND broken), "
        "count(*) FILTER (NOT inside) FROM matched"
    ).fetchone()
    events, first, last, yearless, broken, timeless = row or (0, None, None, 0, 0, 0)
    return Totals(
        events=events,
        first=first,
        last=last,
        by_level={None if level is None else Level(level): count for level, count in levels},
        yearless=yearless,
        broken=broken,
        timeless=timeless,
    )
