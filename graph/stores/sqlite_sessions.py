"""Sessions in one SQLite file, for processes of one machine; a lock file a session beside it."""

import asyncio
import hashlib
import os
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from graph.stores.faults import SessionBusy, SessionStoreUnavailable

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

_SETUP_SECONDS = 5.0
_RETRY_SECONDS = 0.02


class SqliteSessions:
    """`SessionStore` over the file at `path`."""

    def __init__(self, path: Path, saver: "AsyncSqliteSaver") -> None:
        self.saver = saver
        self._path = path

    @asynccontextmanager
    async def hold(self, session_id: str) -> AsyncIterator[None]:
        """As in the protocol; the system frees the lock when the process dies."""
        name = hashlib.blake2b(session_id.encode(), digest_size=16).hexdigest()
        file = self._path.parent / "locks" / f"{name}.lock"
        held = await asyncio.to_thread(_lock, file)
        if held is None:
            raise SessionBusy(session_id)
        try:
            yield
        finally:
            # while it is still held, so that no file outlives its session
            file.unlink(missing_ok=True)
            os.close(held)

    async def session_ids(self) -> list[str]:
        """As in the protocol."""
        query = "SELECT DISTINCT thread_id FROM checkpoints ORDER BY thread_id"
        async with self.saver.lock, self.saver.conn.execute(query) as rows:
            return [row[0] for row in await rows.fetchall()]

    async def size_bytes(self) -> int:
        """As in the protocol, with what waits in the write-ahead log."""
        files = (self._path, self._path.with_name(f"{self._path.name}-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    async def give_back_space(self) -> None:
        """As in the protocol. Another process that is writing is waited for."""
        async with self.saver.lock:
            await self.saver.conn.execute("VACUUM")
            await self.saver.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@asynccontextmanager
async def open_sqlite_sessions(path: Path) -> AsyncIterator[SqliteSessions]:
    """The sessions in the file at `path`, which is made when it is missing."""
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    try:
        async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
            await _make_tables(saver)
            yield SqliteSessions(path, saver)
    except sqlite3.Error:
        raise SessionStoreUnavailable("data_dir") from None


async def _make_tables(saver: "AsyncSqliteSaver") -> None:
    """Processes that make the file together collide at its journal mode, past SQLite's waiting."""
    give_up = time.monotonic() + _SETUP_SECONDS
    while not saver.is_setup:
        try:
            await saver.setup()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
            await asyncio.sleep(_RETRY_SECONDS)


def _lock(file: Path) -> int | None:
    """The descriptor that holds the lock, or None when somebody else does."""
    import fcntl

    file.parent.mkdir(mode=0o700, exist_ok=True)
    while True:
        held = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(held)
            return None
        if _is_at(file, held):
            return held
        # whoever held it before removed it between our opening and our locking
        os.close(held)


def _is_at(file: Path, held: int) -> bool:
    try:
        return os.path.samestat(file.stat(), os.fstat(held))
    except FileNotFoundError:
        return False
