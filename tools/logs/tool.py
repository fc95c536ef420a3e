"""The log source as an evidence tool: a question in, whole events out.

Failures:

- `INVALID_TIME_WINDOW`: the start lies after the end.
- `UNKNOWN_TIME_ZONE`: the zone is no IANA name and no offset.
- `QUERY_TOO_BROAD`: none of service, keyword, start and end was given.
- `LOG_SOURCE_UNAVAILABLE`: the folder or table cannot be read now; may be tried again.
- `LOG_INDEX_BUILDING`: a large folder is still being read, and what is read holds nothing that
  matches; may be tried again.
- `LOG_ENGINE_FAILED`: the index ran out of memory or broke, and starts over; may be tried again.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from tools.evidence import EvidenceTool, ToolFailure, ToolResult
from tools.logs.answer import answer
from tools.logs.index import LogIndex
from tools.logs.limits import IndexLimits
from tools.logs.overview import overview
from tools.logs.readiness import answered
from tools.logs.request import LogsQuery, canonical_scope, window_of
from tools.logs.zones import find_zone

Value = TypeVar("Value")

_DESCRIPTION_SECONDS = 300.0
_DESCRIBABLE_BYTES = 16 * 1024 * 1024


class LogsTool(EvidenceTool[LogsQuery]):
    """Searches a folder of log files, indexed on first use and kept level with them.

    `default_timezone` is the zone of lines that state none. `max_result_bytes` bounds all evidence
    of a result as JSON, below what the boundary would cut. One search at a time; the others wait.
    A search that is cancelled finishes in its thread, and what it indexed stays indexed.
    """

    name = "query_logs"
    Input = LogsQuery
    factual = True

    def __init__(
        self,
        folder: Path,
        *,
        default_timezone: str = "UTC",
        max_result_bytes: int = 7_168,
        limits: IndexLimits | None = None,
        index_folder: Path | None = None,
    ) -> None:
        zone = find_zone(default_timezone)
        if zone is None:
            raise ValueError(f"default_timezone is not a known zone: {default_timezone!r}")
        self._zone_name = default_timezone
        self._max_result_bytes = max_result_bytes
        self._index = LogIndex(folder, zone, limits or IndexLimits(), index_folder)
        self._turn = threading.Lock()
        self._described: tuple[float, str] | None = None

    @property
    def description(self) -> str:  # type: ignore[override]  # computed, not assigned
        """What can be asked here, below 1,500 characters; at most five minutes old.

        Blocks for some seconds while a folder of up to 16 MiB is read for the first time; of a
        larger one it names files only until a search has read it. An unreachable folder is
        described as such.
        """
        now = time.monotonic()
        if self._described is None or now - self._described[0] > _DESCRIPTION_SECONDS:
            self._described = now, self._describe()
        return self._described[1]

    def scope(self, request: LogsQuery) -> dict[str, Any]:
        """Service, start, end (UTC), timezone, level, keyword, limit, around (C5.3)."""
        return canonical_scope(request)

    async def search(self, request: LogsQuery) -> ToolResult:
        """Events that match, the total beside them. Raises `ToolFailure` (see the module)."""
        window_of(request)
        return await asyncio.to_thread(self._in_turn, lambda: self._answer(request))

    def close(self) -> None:
        """Drop the index and its temporary files; a later search builds it anew."""
        with self._turn:
            self._index.close()

    def _answer(self, request: LogsQuery) -> ToolResult:
        return answered(
            self._index,
            request,
            lambda: answer(
                self._index, request, zone_name=self._zone_name, max_bytes=self._max_result_bytes
            ),
        )

    def _in_turn(self, work: Callable[[], Value]) -> Value:
        import duckdb

        with self._turn:
            try:
                return work()
            except OSError:
                raise ToolFailure("LOG_SOURCE_UNAVAILABLE", retryable=True) from None
            except duckdb.OutOfMemoryException:
                raise ToolFailure("LOG_ENGINE_FAILED", retryable=True) from None
            except (duckdb.FatalException, duckdb.InternalException, duckdb.IOException):
                self._index.close()
                raise ToolFailure("LOG_ENGINE_FAILED", retryable=True) from None
            except duckdb.Error:
                self._index.discard()
                raise ToolFailure("LOG_ENGINE_FAILED", retryable=True) from None

    def _describe(self) -> str:
        try:
            return self._in_turn(self._overview)
        except ToolFailure as failure:
            return overview([], [], self._zone_name, unavailable=failure.code)

    def _overview(self) -> str:
        self._index.look()
        if self._index.unread_bytes() <= _DESCRIBABLE_BYTES:
            self._index.refresh()
            self._index.build(self._index.unread, seconds=self._index.limits.patience_seconds)
        return overview(
            self._index.services(),
            self._index.names(),
            self._zone_name,
            files=len(self._index.found),
            left_out=self._index.left_out(),
        )
