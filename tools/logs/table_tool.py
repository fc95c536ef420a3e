"""A SQL log table as the same evidence tool that a folder is: same questions, same results.

What a question narrows, the database selects; of the rows it gives, at most 20,000 and those at
ERROR or worse first, the rest is done as for lines of files. Counts are of all rows. Failures are
those of `tools.logs.tool`, and:

- `LOG_TIMEOUT`: the database did not answer in time; may be tried again.
"""

import asyncio
import threading
import time
from contextlib import AbstractContextManager
from typing import Any

from tools.evidence import EvidenceTool, ToolFailure, ToolResult
from tools.logs.answer import answer, filters_of
from tools.logs.overview import overview
from tools.logs.request import LogsQuery, canonical_scope, window_of
from tools.logs.table import LogColumns, RowFilters
from tools.logs.table_reader import TableReader, reading
from tools.logs.table_rows import TableRows
from tools.logs.zones import find_zone

_DESCRIPTION_SECONDS = 300.0
_DESCRIBE_SECONDS = 3.0


class LogTableTool(EvidenceTool[LogsQuery]):
    """Searches a log table. `url` is an SQLAlchemy URL of SQLite, PostgreSQL, MySQL or MariaDB, and
    never leaves the tool; `max_seconds` bounds one statement, `max_rows` what is looked at."""

    name = "query_logs"
    Input = LogsQuery
    factual = True

    def __init__(
        self,
        url: str,
        columns: LogColumns,
        *,
        default_timezone: str = "UTC",
        max_result_bytes: int = 7_168,
        max_rows: int = 20_000,
        max_seconds: float = 15.0,
    ) -> None:
        zone = find_zone(default_timezone)
        if zone is None:
            raise ValueError(f"default_timezone is not a known zone: {default_timezone!r}")
        self._zone, self._zone_name = zone, default_timezone
        self._max_result_bytes, self._max_rows = max_result_bytes, max_rows
        self._url, self._columns, self._max_seconds = url, columns, max_seconds
        self._turn = threading.Lock()
        self._described: tuple[float, str] | None = None

    @property
    def description(self) -> str:  # type: ignore[override]  # computed, not assigned
        """What can be asked here, below 1,500 characters; at most five minutes old. Blocks for some
        seconds at most; a table that cannot be reached is described as such."""
        now = time.monotonic()
        if self._described is None or now - self._described[0] > _DESCRIPTION_SECONDS:
            self._described = now, self._describe()
        return self._described[1]

    def scope(self, request: LogsQuery) -> dict[str, Any]:
        """Service, start, end (UTC), timezone, level, keyword, limit, around (C5.3)."""
        return canonical_scope(request)

    async def search(self, request: LogsQuery) -> ToolResult:
        """Rows that match, the total beside them. Raises `ToolFailure` (see the module)."""
        window_of(request)
        return await asyncio.to_thread(self._answer, request)

    def _answer(self, request: LogsQuery) -> ToolResult:
        import duckdb

        with self._turn, self._reading(self._max_seconds) as reader:
            rows = TableRows(reader, self._columns.table, self._zone)
            try:
                filters = filters_of(rows, request)
                if filters.meant is None or filters.meant:
                    named = filters.meant.services if filters.meant else None
                    asked = RowFilters(named, filters.window, filters.level, filters.keyword)
                    rows.take(asked, self._max_rows)
                return answer(
                    rows, request, zone_name=self._zone_name, max_bytes=self._max_result_bytes
                )
            except duckdb.Error:
                raise ToolFailure("LOG_ENGINE_FAILED", retryable=True) from None
            finally:
                rows.close()

    def _reading(self, seconds: float) -> AbstractContextManager[TableReader]:
        return reading(self._url, self._columns, self._zone, max_seconds=seconds)

    def _describe(self) -> str:
        try:
            with self._reading(_DESCRIBE_SECONDS) as reader:
                facts = TableRows(reader, self._columns.table, self._zone).services()
        except ToolFailure as failure:
            return overview([], [], self._zone_name, unavailable=failure.code)
        return overview(facts, [self._columns.table], self._zone_name)
