"""What a session store is, and the one that the settings name."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol

from langgraph.checkpoint.base import BaseCheckpointSaver

from graph.settings import Settings
from graph.stores.address import host_of
from graph.stores.faults import SessionStoreUnavailable as SessionStoreUnavailable
from graph.stores.folder import data_dir, private_dir, private_file

SESSIONS_FILE = "sessions.sqlite"


class SessionStore(Protocol):
    """An open store of LangGraph threads. Its faults leave `open_sessions` by name."""

    @property
    def saver(self) -> BaseCheckpointSaver[Any]:
        """The checkpointer over it."""
        ...

    def hold(self, session_id: str) -> AbstractAsyncContextManager[None]:
        """One run a session at a time, whichever process it is in (C0).

        Without it a second process would take a running run for one that was cut off and close
        it (C1.6). Raises `SessionBusy` at once when the session is held; freed when the holder
        dies.
        """
        ...

    async def session_ids(self) -> list[str]:
        """Every session that has a checkpoint."""
        ...

    async def size_bytes(self) -> int:
        """What it takes on disk."""
        ...

    async def give_back_space(self) -> None:
        """After a removal, where the store does not do so by itself."""
        ...


@asynccontextmanager
async def open_sessions(settings: Settings) -> AsyncIterator[SessionStore]:
    """The store that `stores.sessions` names, ready to use, closed at the end.

    Raises `SettingsError`, and `SessionStoreUnavailable` also for what its use ran into.
    """
    url = settings.stores.sessions.url
    if url is None:
        from graph.stores.sqlite_sessions import open_sqlite_sessions

        file = private_file(private_dir(settings) / SESSIONS_FILE)
        async with open_sqlite_sessions(file) as embedded:
            yield embedded
    else:
        from graph.stores.postgres_sessions import open_postgres_sessions

        async with open_postgres_sessions(url) as shared:
            yield shared


def sessions_place(settings: Settings) -> str:
    """Kind and place, without credentials."""
    url = settings.stores.sessions.url
    if url is None:
        return f"SQLite in {data_dir(settings)}"
    return f"PostgreSQL at {host_of(url)}"
