"""Sessions in PostgreSQL, for processes of many hosts (extra `postgres`).

One connection does both: it writes the checkpoints and holds the advisory lock of a session. Who
loses the connection loses the lock and, in the same moment, the means to write. A pooler that gives
every transaction another connection (PgBouncer in transaction mode) breaks that.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from graph.settings import SettingsError
from graph.stores.faults import SessionBusy, SessionStoreUnavailable

if TYPE_CHECKING:
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

    from graph.stores.postgres_connection import BoundedConnection

_SETTING = "stores.sessions.url"
_SETUP_ATTEMPTS = 600
_SETUP_PAUSE_SECONDS = 0.05
_SETUP_SECONDS = 600.0
"""A new version's index over many sessions may take its time."""
_CONNECTION: dict[str, Any] = {
    "connect_timeout": 10,
    # a network that is gone without a word is noticed within about a minute, on both sides
    "tcp_user_timeout": 60_000,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "application_name": "incident-diagnosis-agent",
}
_SERVER_SIDE = (
    "SET tcp_keepalives_idle = 30",
    "SET tcp_keepalives_interval = 10",
    "SET tcp_keepalives_count = 3",
)
_BOUNDED = "SET statement_timeout = '30s'"
_SIZE = """
SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS bytes FROM pg_class
WHERE oid IN (to_regclass('checkpoints'), to_regclass('checkpoint_blobs'),
              to_regclass('checkpoint_writes'))
"""


class PostgresSessions:
    """`SessionStore` on one connection; runs of one process take turns on it."""

    def __init__(self, connection: "BoundedConnection", saver: "AsyncPostgresSaver") -> None:
        self.saver = saver
        self._connection = connection
        self._held: set[str] = set()

    @asynccontextmanager
    async def hold(self, session_id: str) -> AsyncIterator[None]:
        """As in the protocol; the server frees the lock when the connection ends."""
        # the server would grant a connection its own lock a second time
        if session_id in self._held or not await self.try_lock(f"session {session_id}"):
            raise SessionBusy(session_id)
        self._held.add(session_id)
        try:
            yield
        finally:
            self._held.discard(session_id)
            await self.unlock(f"session {session_id}")

    async def session_ids(self) -> list[str]:
        """As in the protocol."""
        rows = await self._rows("SELECT DISTINCT thread_id FROM checkpoints ORDER BY thread_id")
        return [row["thread_id"] for row in rows]

    async def size_bytes(self) -> int:
        """As in the protocol: the tables with their indexes."""
        (row,) = await self._rows(_SIZE)
        return int(row["bytes"])

    async def give_back_space(self) -> None:
        """Nothing: autovacuum makes the space free for what comes next."""

    async def try_lock(self, name: str) -> bool:
        """Whether the lock of that name is ours now. It never waits."""
        (row,) = await self._rows("SELECT pg_try_advisory_lock(%s) AS ours", _lock_key(name))
        return bool(row["ours"])

    async def unlock(self, name: str) -> None:
        """Frees the lock; one whose connection has ended is free already."""
        if not self._connection.closed:
            await self._rows("SELECT pg_advisory_unlock(%s)", _lock_key(name))

    async def _rows(self, query: str, *values: Any) -> list[Any]:
        async with self.saver.lock:
            # not prepared on the server: these run a few times at most
            cursor = await self._connection.execute(query, values, prepare=False)
            return await cursor.fetchall()


@asynccontextmanager
async def open_postgres_sessions(url: SecretStr) -> AsyncIterator[PostgresSessions]:
    """The sessions in the database at `url`, whose tables are made when they are missing."""
    try:
        import psycopg
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
    except ImportError:
        raise SettingsError(
            f"{_SETTING}: PostgreSQL needs the extra 'postgres'; install it with"
            " uv sync --extra postgres"
        ) from None
    try:
        async with await _connect(url) as connection:
            sessions = PostgresSessions(connection, AsyncPostgresSaver(connection))
            async with connection.unhurried(_SETUP_SECONDS):
                await _make_tables(sessions)
            await connection.execute(_BOUNDED)
            yield sessions
    except psycopg.Error:
        raise SessionStoreUnavailable(_SETTING) from None


async def _connect(url: SecretStr) -> "BoundedConnection":
    import psycopg
    from psycopg.conninfo import conninfo_to_dict
    from psycopg.rows import dict_row

    from graph.stores.postgres_connection import BoundedConnection

    try:
        given = conninfo_to_dict(url.get_secret_value())
    except psycopg.ProgrammingError:
        raise SettingsError(f"{_SETTING}: not a usable PostgreSQL URL") from None
    parameters: dict[str, Any] = {**_CONNECTION, **given}
    connection = await BoundedConnection.connect(
        **parameters, autocommit=True, prepare_threshold=0, row_factory=dict_row
    )
    for statement in _SERVER_SIDE:
        await connection.execute(statement)
    return connection


async def _make_tables(sessions: PostgresSessions) -> None:
    """By one process at a time. It asks again instead of waiting in the server: a waiting statement
    would hold up the index that the other one builds concurrently."""
    for _ in range(_SETUP_ATTEMPTS):
        if await sessions.try_lock("setup"):
            await sessions.saver.setup()
            await sessions.unlock("setup")
            return
        await asyncio.sleep(_SETUP_PAUSE_SECONDS)
    raise SessionStoreUnavailable(_SETTING)


def _lock_key(name: str) -> int:
    digest = hashlib.blake2b(f"diagnosis {name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)
