"""A SQLite file that can only be read: opened read-only, and every action authorised by the engine.

The parsed statement has been checked before; this is the second wall, which also holds for what
views and virtual tables do behind it.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from tools.databases.database import MAX_TABLES_READ, Column, Table
from tools.databases.leash import Leash
from tools.databases.pragmas import READ_PRAGMAS
from tools.databases.urls import Backend
from tools.evidence import ToolFailure

_BUSY_SECONDS = 2.0
_STEPS_BETWEEN_CHECKS = 10_000
_MAX_VALUE_BYTES = 32 * 1024 * 1024

_HIDDEN = 1
_LOOK = "SELECT 1 FROM sqlite_master LIMIT 0"
"""Has the file read: SQLite opens any, and answers what names no table without a look at it."""
_TABLES = (
    "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
    r" AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY type, name"
)

_ACTIONS = frozenset(
    {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
    }
)
_ENGINE_PRAGMAS = frozenset({"read_uncommitted", "data_version"})
"""Read by SQLAlchemy when it connects, and by full-text tables."""

# REGEXP is a Python function that the time limit cannot interrupt
_DENIED_FUNCTIONS = frozenset({"load_extension", "regexp", "fts3_tokenizer"})


class SqliteDatabase:
    """One SQLite file. A connection a query: no session state, safe from any thread."""

    backend: Backend = "sqlite"
    schemas = ("main",)
    times = "times as stored"

    def __init__(self, path: str) -> None:
        self.name = Path(path).stem
        self._uri = Path(path).absolute().as_uri() + "?mode=ro"
        self._engine: Engine = create_engine("sqlite://", creator=self._connect, poolclass=NullPool)

    @contextmanager
    def reading(self, leash: Leash) -> Iterator[Connection]:
        """As `Database.reading`."""
        try:
            with self._engine.connect() as connection:
                driver = connection.connection.driver_connection
                if not isinstance(driver, sqlite3.Connection):
                    raise TypeError("not a SQLite connection")
                driver.set_progress_handler(leash.expired, _STEPS_BETWEEN_CHECKS)
                connection.exec_driver_sql(_LOOK).close()
                yield connection
        except DBAPIError as error:
            raise _failure(error.orig) from None

    def tables(self, connection: Connection) -> Sequence[Table]:
        """As `Database.tables`; the engine's own are left out."""
        names = [name for (name,) in connection.exec_driver_sql(_TABLES)]
        quote = connection.dialect.identifier_preparer.quote
        listed = [_with_columns(connection, quote(name)) for name in names[:MAX_TABLES_READ]]
        return [*listed, *(Table(quote(name)) for name in names[MAX_TABLES_READ:])]

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._uri, uri=True, timeout=_BUSY_SECONDS)
        try:
            connection.text_factory = _text
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
            connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            connection.execute("PRAGMA query_only = 1")
            connection.set_authorizer(_authorize)
        except BaseException:
            connection.close()
            raise
        return connection


def _with_columns(connection: Connection, quoted: str) -> Table:
    try:
        found = connection.exec_driver_sql(f"PRAGMA table_xinfo({quoted})")
        return Table(quoted, tuple(Column(row[1], row[2]) for row in found if row[6] != _HIDDEN))
    except DBAPIError:
        # a view whose table is gone has a name but no columns
        return Table(quoted)


def _text(stored: bytes) -> str:
    """Text as stored; bytes that are not UTF-8 stay visible as escapes."""
    return stored.decode("utf-8", "backslashreplace")


def _authorize(
    action: int, first: str | None, second: str | None, _schema: str | None, _view: str | None
) -> int:
    if action == sqlite3.SQLITE_FUNCTION and str(second).lower() in _DENIED_FUNCTIONS:
        return sqlite3.SQLITE_DENY
    if action in _ACTIONS:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_PRAGMA and str(first).lower() in READ_PRAGMAS | _ENGINE_PRAGMAS:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_UPDATE and first == "sqlite_master":
        # how SQLite declares a virtual table to itself; the file cannot be written
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _failure(error: BaseException | None) -> ToolFailure:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    match code:
        case sqlite3.SQLITE_INTERRUPT:
            return ToolFailure("SQL_TIMEOUT", retryable=False)
        case sqlite3.SQLITE_AUTH | sqlite3.SQLITE_READONLY:
            return ToolFailure("SQL_NOT_ALLOWED", retryable=False)
        case sqlite3.SQLITE_TOOBIG | sqlite3.SQLITE_NOMEM | sqlite3.SQLITE_FULL:
            return ToolFailure("SQL_TOO_LARGE", retryable=False)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return ToolFailure("DATABASE_BUSY", retryable=True)
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_IOERR:
            return ToolFailure("DATABASE_UNAVAILABLE", retryable=True)
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_PERM:
            return ToolFailure("DATABASE_UNREADABLE", retryable=False)
        case _:
            unknown = str(error).startswith("no such ")
            return ToolFailure("SQL_UNKNOWN_NAME" if unknown else "SQL_INVALID", retryable=False)
