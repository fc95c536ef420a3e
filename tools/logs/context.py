"""The events around a match in its file, at any level: a cause often stands below ERROR, beside it.

They are evidence like any other, told apart by their source (`app.log:11 (near line 12)`), and
never counted as matches. Bounded: around the best eight matches only, no further than 2,000 lines.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools.logs.choice import MAX_LINE_CHARS, MAX_LINES, Event

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MATCHES = 8
_REACH_LINES = 2_000
_NEAR = f"""
WITH others AS (
  SELECT line_no FROM lines l WHERE file_id = $file AND head
    AND line_no BETWEEN $line - {_REACH_LINES} AND $line + {_REACH_LINES} AND line_no <> $line
    AND NOT EXISTS (SELECT 1 FROM matched m
                    WHERE m.inside AND m.file_id = $file AND m.line_no = l.line_no)),
near AS (
  (SELECT line_no FROM others WHERE line_no < $line ORDER BY line_no DESC LIMIT $around)
  UNION ALL
  (SELECT line_no FROM others WHERE line_no > $line ORDER BY line_no LIMIT $around))
SELECT l.head_no, max(l.line_no),
       string_agg(left(l.text, {MAX_LINE_CHARS}), chr(10) ORDER BY l.line_no)
         FILTER (l.line_no < l.head_no + {MAX_LINES}),
       sum(strlen(l.text) + 1)::BIGINT - 1
FROM lines l JOIN near n ON n.line_no = l.head_no WHERE l.file_id = $file
GROUP BY l.head_no ORDER BY l.head_no
"""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An event that is no match, and the match it stands beside."""

    event: Event
    match: Event

    @property
    def source(self) -> str:
        return f"{self.event.source} (near line {self.match.first_line})"


def neighbours(
    connection: "DuckDBPyConnection", events: Iterable[Event], around: int
) -> list[Neighbour]:
    """Up to `around` events before and after each of the best ranked, none twice."""
    best = sorted(events, key=lambda event: event.rank)[:MATCHES] if around else []
    found: dict[tuple[int, int], Neighbour] = {}
    for match in best:
        rows = connection.execute(
            _NEAR, {"file": match.file_id, "line": match.first_line, "around": around}
        ).fetchall()
        for first, last, text, size in rows:
            event = Event(
                rank=match.rank,
                position=match.position,
                file_id=match.file_id,
                path=match.path,
                first_line=first,
                last_line=last,
                text=text,
                total_bytes=size,
            )
            found.setdefault((match.file_id, first), Neighbour(event, match))
    return list(found.values())
