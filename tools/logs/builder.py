"""Builds segments in threads of its own, so that a first question need not wait for all of them.

Each thread has a small database: a file's lines are parsed into it and written out sorted, then
moved into place. The threads end with their work, at `close`, or with the process: they look
between pieces whether somebody still wants the result.
"""

import os
import threading
import uuid
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import tzinfo
from pathlib import Path

from tools.logs.database import Batch, Database
from tools.logs.folder import LogFile
from tools.logs.limits import IndexLimits
from tools.logs.reader import FileState, TextFile
from tools.logs.segments import SegmentFolder, segment_id
from tools.logs.stamps import sql_text

_ROWS_A_GROUP = 24_576
_BATCH_CHARS = 6 * 1024 * 1024
_MOST_THREADS = 2
_LOOK_UP_SECONDS = 0.1


class IndexNotWritten(Exception):
    """A segment could not be put on disk: it is full, say."""


class SegmentBuilder:
    """A queue of files and the threads that empty it. Safe to use from any thread."""

    def __init__(self, segments: SegmentFolder, zone: tzinfo, limits: IndexLimits) -> None:
        self._segments = segments
        self._zone = zone
        self._limits = limits
        self._turn = threading.Condition()  # reentrant
        self._queue: deque[LogFile] = deque()
        self._wanted: set[int] = set()
        self._failed: BaseException | None = None
        self._threads = 0
        self._closed = False
        self._pauses = 0

    def want(self, files: list[LogFile]) -> None:
        """Have segments made of these, before others; none is made twice at once."""
        with self._turn:
            self._failed = None
            asked = {segment_id(file): file for file in files}
            waiting = {segment_id(file): file for file in self._queue}
            new = {n: file for n, file in asked.items() if n in waiting or n not in self._wanted}
            later = (file for number, file in waiting.items() if number not in new)
            self._queue = deque([*new.values(), *later])
            self._wanted.update(new)
            most = min(_MOST_THREADS, os.cpu_count() or 1, len(self._queue))
            while self._threads < most:
                self._threads += 1
                threading.Thread(target=self._work, name="query-logs-index").start()

    def wait(self, files: Iterable[LogFile], *, seconds: float) -> bool:
        """Whether all of these are done in time. Raises what building one raised, once."""
        numbers = {segment_id(file) for file in files}
        with self._turn:
            done = self._turn.wait_for(
                lambda: self._failed or not numbers & self._wanted, timeout=seconds
            )
            if self._failed is not None:
                failed, self._failed = self._failed, None
                raise failed
            return bool(done)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Building stands still meanwhile, from its next piece on."""
        with self._turn:
            self._pauses += 1
        try:
            yield
        finally:
            with self._turn:
                self._pauses -= 1
                self._turn.notify_all()

    def close(self) -> None:
        """End the threads; what they are at is dropped."""
        with self._turn:
            self._closed = True
            self._queue.clear()
            self._turn.wait_for(lambda: self._threads == 0, timeout=10.0)
            self._wanted.clear()
            self._closed = False

    def _work(self) -> None:
        database = None
        try:
            database = Database(
                memory_mib=self._limits.memory_mib // 2,
                spill_mib=self._limits.spill_mib,
                reachable=self._segments.path,
                threads=1,
            )
            while (file := self._next()) is not None:
                self._build(file, database)
                with self._turn:
                    self._wanted.discard(segment_id(file))
                    self._turn.notify_all()
        except BaseException as failed:  # noqa: BLE001 - handed to who waits, which raises it
            with self._turn:
                self._failed = failed
                self._queue.clear()
                self._wanted.clear()
        finally:
            if database is not None:
                database.close()
            with self._turn:
                self._threads -= 1
                self._turn.notify_all()

    def _next(self) -> LogFile | None:
        with self._turn:
            return self._queue.popleft() if self._wanted_still() and self._queue else None

    def _wanted_still(self) -> bool:
        """Waits out a pause; False when this is closed or the process is ending."""
        with self._turn:
            while self._pauses and not self._closed and threading.main_thread().is_alive():
                self._turn.wait(_LOOK_UP_SECONDS)
            return not self._closed and threading.main_thread().is_alive()

    def _build(self, file: LogFile, database: Database) -> None:
        text = TextFile(file.path, self._limits.read)
        number = segment_id(file)
        batch = Batch(database.connection, self._zone, max_chars=_BATCH_CHARS)
        try:
            for piece in text:
                if not self._wanted_still():
                    return
                batch.add(number, piece)
            batch.flush()
            if text.state is FileState.UNREADABLE:
                return
            _put(database, self._segments.place(file, text.state))
        finally:
            database.connection.execute("TRUNCATE fresh")


def _put(database: Database, place: Path) -> None:
    import duckdb

    draft = place.with_name(f"{uuid.uuid4().hex}.draft")
    try:
        write_segment(database, draft)
        draft.replace(place)
    except (OSError, duckdb.IOException):
        raise IndexNotWritten from None


def write_segment(database: Database, path: Path) -> None:
    """The lines at hand as a Parquet file, in their order."""
    database.connection.execute(
        f"COPY (SELECT * FROM fresh ORDER BY file_id, line_no) TO {sql_text(str(path))} "
        f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_ROWS_A_GROUP})"
    )
