"""Which matches are shown when there are too many: causes before noise, always the same ones.

Three lists take turns until the limit is reached, each naming an event once:

1. of every message template at ERROR or worse, its first event, earliest first;
2. going back in time from the first error, the nearest event of every other template: what
   changed just before;
3. of every template below ERROR, its first event, the rarest templates first.

What room is left goes to second and third events of each template, earliest first: a fourth of
the same kind tells nothing that the count does not. Templates are messages with numbers, ids and
addresses masked.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools.logs.levels import Level

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_OF_A_KIND = 3
MAX_LINES = 400
MAX_LINE_CHARS = 16_000
_EXCERPT_CHARS = 150
_MAX_PATH_CHARS = 240

_CHOOSE = f"""
WITH found AS (
  SELECT *, coalesce(level, 0) >= {Level.ERROR.value} AS bad,
         row_number() OVER (PARTITION BY template, level ORDER BY n) AS occurrence
  FROM matched WHERE inside),
kinds AS (SELECT template, level, bad, count(*) AS size, min(n) AS n FROM found
          GROUP BY template, level, bad),
first_error AS (SELECT min(n) AS n FROM found WHERE bad),
turns AS (
  SELECT n, 3 * row_number() OVER (ORDER BY n) AS turn FROM kinds WHERE bad
  UNION ALL
  SELECT n, 3 * row_number() OVER (ORDER BY n DESC) + 1 FROM (
    SELECT max(found.n) AS n FROM found, first_error
    WHERE NOT bad AND found.n < first_error.n GROUP BY template, level)
  UNION ALL
  SELECT n, 3 * row_number() OVER (ORDER BY size, level DESC NULLS LAST, n) + 2
  FROM kinds WHERE NOT bad),
best AS (SELECT n, min(turn) AS turn FROM turns GROUP BY n),
chosen AS (
  SELECT n, file_id, line_no AS head_no,
         row_number() OVER (ORDER BY turn NULLS LAST, occurrence, n) AS place
  FROM found LEFT JOIN best USING (n)
  WHERE turn IS NOT NULL OR occurrence <= {_OF_A_KIND} OR (SELECT count(*) FROM found) <= $limit
  ORDER BY place LIMIT $limit)
SELECT c.place, c.n, file_id, f.path, c.head_no, max(l.line_no),
       string_agg(left(l.text, {MAX_LINE_CHARS}), chr(10) ORDER BY l.line_no)
         FILTER (l.line_no < c.head_no + {MAX_LINES}),
       sum(strlen(l.text) + 1) - 1
FROM chosen c JOIN lines l USING (file_id, head_no) JOIN files f USING (file_id)
GROUP BY ALL ORDER BY c.place
"""


@dataclass(frozen=True, slots=True)
class Event:
    """A chosen event: its rank, its place in time order, where it stands, its text and size.

    `text` may stop early in an event of hundreds of lines or with lines of many kilobytes;
    `total_bytes` is the whole.
    """

    rank: int
    position: int
    file_id: int
    path: str
    first_line: int
    last_line: int
    text: str
    total_bytes: int

    @property
    def source(self) -> str:
        lines = (
            f"{self.first_line}"
            if self.first_line == self.last_line
            else f"{self.first_line}-{self.last_line}"
        )
        path = (
            self.path if len(self.path) <= _MAX_PATH_CHARS else f"…{self.path[-_MAX_PATH_CHARS:]}"
        )
        return f"{path}:{lines}"


def choose(connection: "DuckDBPyConnection", limit: int) -> list[Event]:
    """At most `limit` of the table `matched`, best first."""
    rows = connection.execute(_CHOOSE, {"limit": limit}).fetchall()
    return [Event(*row) for row in rows]


def excerpt(connection: "DuckDBPyConnection", event: Event, pattern: str) -> str | None:
    """The surroundings of a keyword pattern's first match inside an event."""
    row = connection.execute(
        "SELECT regexp_extract(coalesce(folded, text), $around) FROM lines "
        "WHERE file_id = $file AND head_no = $head "
        "AND regexp_matches(coalesce(folded, text), $word) ORDER BY line_no LIMIT 1",
        {
            "around": f"(?s).{{0,{_EXCERPT_CHARS}}}{pattern}(?-i).{{0,{_EXCERPT_CHARS}}}",
            "word": pattern,
            "file": event.file_id,
            "head": event.first_line,
        },
    ).fetchone()
    return row[0] if row else None
