"""A database behind a server: a connection a query, read-only, its time held from both sides.

What the engines differ in, `mysql` and `postgresql` say. Row values are never guessed at by the
driver: dates, times and JSON come as the text that the server writes.
"""

import os
import socket
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from tools.databases.database import Table
from tools.databases.leash import Leash
from tools.databases.urls import Backend, ServerUrl
from tools.evidence import ToolFailure

CONNECT_SECONDS = 3
LOCK_SECONDS = 2
"""How long a query waits for a lock that somebody else's change holds."""


class ServerDatabase(ABC):
    """One database of a server. No session state outlives a query; safe from any thread."""

    backend: Backend
    times: str

    def __init__(self, server: ServerUrl, connect: dict[str, Any], **options: Any) -> None:
        self.name = server.url.database or ""
        self.schemas = server.schemas
        self._query = threading.local()
        self._engine: Engine = create_engine(
            server.url, poolclass=NullPool, connect_args=connect, **options
        )
        # before SQLAlchemy's own first questions, so that they are held to the limits too
        event.listen(self._engine, "connect", self._connected, insert=True)
        event.listen(self._engine, "handle_error", self._broken_off)

    @contextmanager
    def reading(self, leash: Leash) -> Iterator[Connection]:
        """As `Database.reading`."""
        try:
            with ExitStack() as held:
                self._query.leash, self._query.held = leash, held
                with self._opened() as connection:
                    self._begin(connection)
                    yield connection
        except DBAPIError as error:
            raise self._named(error, leash) from None
        except UnicodeDecodeError:
            raise ToolFailure("DATABASE_UNREADABLE", retryable=False) from None

    @abstractmethod
    def tables(self, connection: Connection) -> Sequence[Table]:
        """As `Database.tables`; the system's own are left out."""

    def _opened(self) -> Connection:
        try:
            return self._engine.connect()
        except (OSError, TypeError, ValueError):
            # an option of the URL that the driver does not take, a certificate that is not there
            raise ToolFailure("DATABASE_MISCONFIGURED", retryable=False) from None

    def _connected(self, driver: Any, _record: object) -> None:
        """Held from here until the connection is closed, which may wait for the server too."""
        leash: Leash = self._query.leash
        held: ExitStack = self._query.held
        # a handle of our own: the driver's number may be another file by the time it is cut
        wire = held.enter_context(socket.socket(fileno=os.dup(self._file_number(driver))))
        held.enter_context(leash.holding(lambda: shut(wire)))
        self._prepare(driver, max(0.001, leash.left_seconds()))

    def _broken_off(self, context: Any) -> None:
        cursor = getattr(context.execution_context, "cursor", None)
        if cursor is not None:  # there is none before a statement
            self._leave(cursor)

    def _named(self, error: DBAPIError, leash: Leash) -> ToolFailure:
        failure = self._failure(error.orig)
        if failure.code == "DATABASE_UNAVAILABLE" and leash.expired():
            return ToolFailure("SQL_TIMEOUT", retryable=False)
        return failure

    @abstractmethod
    def _prepare(self, driver: Any, max_seconds: float) -> None:
        """Makes a new session read-only, and bounds its statements by `max_seconds`."""

    @abstractmethod
    def _begin(self, connection: Connection) -> None:
        """Begins a transaction that cannot write."""

    @abstractmethod
    def _leave(self, cursor: Any) -> None:
        """Keeps a cursor from asking a connection that is cut for the rest of its rows."""

    @abstractmethod
    def _file_number(self, driver: Any) -> int:
        """Of the socket behind a connection."""

    @abstractmethod
    def _failure(self, error: BaseException | None) -> ToolFailure:
        """The driver's error as one of ours."""


def shut(wire: socket.socket) -> None:
    """Ends a connection from another thread, so that whoever waits on it wakes up."""
    with suppress(OSError):
        # the plain socket's way: TLS would be taken away from under its reader
        socket.socket.shutdown(wire, socket.SHUT_RDWR)
