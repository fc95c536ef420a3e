"""A read-only transaction on a SQL database, with a time limit that the database keeps."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import quote

from tools.evidence import ToolFailure

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

_STEPS_A_LOOK = 20_000


@contextmanager
def opened(url: str, *, max_seconds: float) -> Iterator["Connection"]:
    """A connection for our own SELECTs. Raises `LOG_SOURCE_UNAVAILABLE` for whatever the database
    or its driver raises, `LOG_TIMEOUT` when it ran into the limit."""
    from sqlalchemy.exc import SQLAlchemyError

    started = time.monotonic()
    try:
        engine = _engine(url)
        with engine.connect() as connection:
            _bound(connection, max_seconds)
            yield connection
            connection.rollback()
    except (SQLAlchemyError, ImportError, OSError):
        late = time.monotonic() - started >= max_seconds
        code = "LOG_TIMEOUT" if late else "LOG_SOURCE_UNAVAILABLE"
        raise ToolFailure(code, retryable=True) from None


def _engine(url: str) -> "Engine":
    """Unpooled: a question's connection ends with it."""
    from sqlalchemy import create_engine
    from sqlalchemy.engine import make_url
    from sqlalchemy.pool import NullPool

    where = make_url(url)
    if where.get_backend_name() == "sqlite" and where.database:
        # a file that is not there must not be made
        where = where.set(
            database=f"file:{quote(where.database)}", query={"mode": "ro", "uri": "true"}
        )
    if where.drivername == "postgresql":
        where = where.set(drivername="postgresql+psycopg")
    if where.drivername in ("mysql", "mariadb"):
        where = where.set(drivername="mysql+pymysql")
    return create_engine(where, poolclass=NullPool)


def _bound(connection: "Connection", max_seconds: float) -> None:
    """Read only, and for so long only."""
    milliseconds = max(1, int(max_seconds * 1000))
    match connection.dialect.name:
        case "sqlite":
            connection.exec_driver_sql("PRAGMA query_only = ON")
            until = time.monotonic() + max_seconds
            driver = connection.connection.driver_connection
            assert driver is not None
            driver.set_progress_handler(lambda: time.monotonic() > until, _STEPS_A_LOOK)
        case "postgresql":
            connection.exec_driver_sql("SET TRANSACTION READ ONLY")
            connection.exec_driver_sql(f"SET LOCAL statement_timeout = {milliseconds}")
        case "mysql" | "mariadb":
            connection.exec_driver_sql("SET SESSION TRANSACTION READ ONLY")
            if getattr(connection.dialect, "is_mariadb", False):
                connection.exec_driver_sql(f"SET SESSION max_statement_time = {max_seconds:.3f}")
            else:
                connection.exec_driver_sql(f"SET SESSION max_execution_time = {milliseconds}")
            connection.rollback()
        case _:
            raise ToolFailure("LOG_SOURCE_UNAVAILABLE", retryable=False)
