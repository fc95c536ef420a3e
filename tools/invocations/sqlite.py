"""Canonical records in one SQLite file: the embedded store (C5.1, C5.2).

Every transition is one IMMEDIATE transaction, so exactly one claimant wins, whichever task, event
loop or process it comes from. One thread of the store's own holds the connection: it belongs to no
event loop, waits for other processes without blocking one, and lets the interpreter exit unclosed.

The file is created readable by its owner alone, in WAL mode. Losing power may lose the latest
transitions, a killed process does not: what is lost is queried again, never wrong.
"""

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

from tools.invocations.records import (
    Claim,
    InvocationRecord,
    InvocationStatus,
    StoreUnavailable,
    claimed,
    finished,
)
from tools.invocations.worker_thread import WorkerThread
from tools.sqlite_files import make_private, switch_to_wal

_Answer = TypeVar("_Answer")

_SCHEMA_VERSION = 1
_PRUNE_SECONDS = 600.0
# a damaged record has no time: it stays, and stays unavailable
_LAST_CHANGE = """CASE WHEN json_valid(record) THEN max(
    json_extract(record, '$.lease_expires_at'),
    coalesce(json_extract(record, '$.finished_at'), 0)) END"""
_SIZE_PRAGMAS = ("page_count", "page_size")


class _OtherSchema(sqlite3.DatabaseError):
    """The file was written by another version."""

    code = "INVOCATION_STORE_OTHER_SCHEMA"


class SqliteInvocationStore:
    """`InvocationStore` over the file at `path`, or in memory for `":memory:"`.

    Opened on first use; usable again after `aclose`, from any event loop. An operation answers
    within `max_seconds`, half of which it may wait for another process, or is unavailable.
    """

    def __init__(self, path: str | Path, *, max_seconds: float = 10.0) -> None:
        self._path = None if str(path) == ":memory:" else Path(path).expanduser()
        self._max_seconds = max_seconds
        self._opened: tuple[WorkerThread, _File] | None = None

    async def begin(self, record: InvocationRecord, *, now: float) -> Claim:
        """As in the protocol. A new claim keeps the count of failures of the ones before."""
        return await self._run("begin", lambda connection: _begin(connection, record, now))

    async def mark_ready(self, record: InvocationRecord) -> None:
        """As in the protocol. READY is final: neither a mark nor a claim changes it."""
        await self._run(
            "mark_ready", lambda connection: _finish(connection, record, InvocationStatus.READY)
        )

    async def mark_error(self, record: InvocationRecord) -> None:
        """As in the protocol. The store counts the failure."""
        await self._run(
            "mark_error", lambda connection: _finish(connection, record, InvocationStatus.ERROR)
        )

    async def find(self, key: str) -> InvocationRecord | None:
        """As in the protocol; nothing expires here."""
        return await self._run("find", lambda connection: _read(connection, key))

    async def prune(self, *, before: float) -> int:
        """Removes the records whose last change or lease lies before that POSIX time, and gives
        their space back; how many. A run resumed later finds no fact there (C6)."""
        return await self._run(
            "prune", lambda connection: _prune(connection, before), max_seconds=_PRUNE_SECONDS
        )

    async def size_bytes(self) -> int:
        """What the records take on disk or in memory."""
        return await self._run("size_bytes", _size_bytes)

    async def aclose(self) -> None:
        """Closes the file and ends the thread. A store in memory is gone then."""
        opened, self._opened = self._opened, None
        if opened is not None:
            thread, file = opened
            await thread.run(file.close)
            thread.stop()

    async def _run(
        self,
        action: str,
        work: Callable[[sqlite3.Connection], _Answer],
        *,
        max_seconds: float | None = None,
    ) -> _Answer:
        if self._opened is None:
            file = _File(self._path, busy_seconds=self._max_seconds / 2)
            self._opened = WorkerThread("invocations", at_end=file.close), file
        thread, file = self._opened
        try:
            async with asyncio.timeout(max_seconds or self._max_seconds):
                return await thread.run(lambda: file.do(work))
        except (sqlite3.Error, OSError, ValueError) as error:
            unavailable = StoreUnavailable(f"sqlite invocation store: {action} failed")
            if isinstance(error, _OtherSchema):
                unavailable.code = error.code
            raise unavailable from None


class _File:
    """The file as its thread holds it: open from the first work on, closed with the thread."""

    def __init__(self, path: Path | None, *, busy_seconds: float) -> None:
        self._path, self._busy_seconds = path, busy_seconds
        self._connection: sqlite3.Connection | None = None

    def do(self, work: Callable[[sqlite3.Connection], _Answer]) -> _Answer:
        """What the work answers."""
        if self._connection is None:
            self._connection = _open(self._path, busy_seconds=self._busy_seconds)
        try:
            return work(self._connection)
        except sqlite3.Error:
            if self._path is not None:
                # the file may have been moved or repaired: the next operation opens it afresh
                self.close()
            raise

    def close(self) -> None:
        """No more than there is to close."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _open(path: Path | None, *, busy_seconds: float) -> sqlite3.Connection:
    if path is not None:
        make_private(path)
    connection = sqlite3.connect(
        ":memory:" if path is None else path, timeout=busy_seconds, isolation_level=None
    )
    try:
        switch_to_wal(connection, time.monotonic() + busy_seconds)
        connection.execute("PRAGMA synchronous = NORMAL")
        _ensure_schema(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _ensure_schema(connection: sqlite3.Connection) -> None:
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("CREATE TABLE IF NOT EXISTS store_schema (version INTEGER NOT NULL)")
        row = connection.execute("SELECT version FROM store_schema").fetchone()
        if row is None:
            connection.execute("INSERT INTO store_schema VALUES (?)", (_SCHEMA_VERSION,))
            connection.execute(
                "CREATE TABLE invocations (key TEXT PRIMARY KEY, record TEXT NOT NULL)"
            )
        elif row[0] != _SCHEMA_VERSION:
            raise _OtherSchema


def _begin(connection: sqlite3.Connection, record: InvocationRecord, now: float) -> Claim:
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        claim = claimed(_read(connection, record["key"]), record, now=now)
        if claim.decision in ("RUN", "TAKEN_OVER"):
            _write(connection, claim.record)
        return claim


def _finish(
    connection: sqlite3.Connection, record: InvocationRecord, status: InvocationStatus
) -> None:
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        _write(connection, finished(_read(connection, record["key"]), record, status))


def _read(connection: sqlite3.Connection, key: str) -> InvocationRecord | None:
    row = connection.execute("SELECT record FROM invocations WHERE key = ?", (key,)).fetchone()
    return None if row is None else cast("InvocationRecord", json.loads(row[0]))


def _write(connection: sqlite3.Connection, record: InvocationRecord) -> None:
    connection.execute(
        "INSERT INTO invocations VALUES (?, ?)"
        " ON CONFLICT (key) DO UPDATE SET record = excluded.record",
        (record["key"], json.dumps(record)),
    )


def _prune(connection: sqlite3.Connection, before: float) -> int:
    removed = connection.execute(f"DELETE FROM invocations WHERE {_LAST_CHANGE} < ?", (before,))
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return removed.rowcount


def _size_bytes(connection: sqlite3.Connection) -> int:
    sizes = [connection.execute(f"PRAGMA {pragma}").fetchone()[0] for pragma in _SIZE_PRAGMAS]
    return int(sizes[0] * sizes[1])
