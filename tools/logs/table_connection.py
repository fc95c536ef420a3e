"""A read-only transaction on the database of a log table, with a time limit."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tools.databases.leash import Leash
from tools.evidence import ToolFailure

if TYPE_CHECKING:
    from sqlalchemy import Connection

_OWN = "LOG_"


@contextmanager
def opened(url: str, *, max_seconds: float) -> Iterator["Connection"]:
    """A connection for our own SELECTs. Raises `LOG_SOURCE_UNAVAILABLE` for whatever the database
    or its driver raises, `LOG_TIMEOUT` when it ran into the limit."""
    from sqlalchemy.exc import SQLAlchemyError

    from tools.databases.opening import open_database

    try:
        with open_database(url).reading(Leash(max_seconds)) as connection:
            yield connection
    except ToolFailure as failure:
        if failure.code.startswith(_OWN):
            raise
        code = "LOG_TIMEOUT" if failure.code == "SQL_TIMEOUT" else "LOG_SOURCE_UNAVAILABLE"
        raise ToolFailure(code, retryable=True) from None
    except SQLAlchemyError:
        raise ToolFailure("LOG_SOURCE_UNAVAILABLE", retryable=True) from None
