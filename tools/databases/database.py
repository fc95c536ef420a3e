"""What the tool needs of a database, whichever engine it is."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from tools.databases.leash import Leash
    from tools.databases.urls import Backend

MAX_TABLES_READ = 200
MAX_COLUMNS_READ = 5_000
MAX_COMMENT_CHARS = 80


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: str = ""
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table or view as the catalogue has it. `name` is as a statement writes it."""

    name: str
    columns: tuple[Column, ...] = ()
    comment: str = ""


class Database(Protocol):
    """One database that can only be read. Making it opens nothing.

    `name` is shown in evidence; `schemas` are the names a table may be qualified with; `times`
    says how the engine's times come out.
    """

    @property
    def backend(self) -> "Backend": ...

    @property
    def name(self) -> str: ...

    @property
    def schemas(self) -> tuple[str, ...]: ...

    @property
    def times(self) -> str: ...

    def reading(self, leash: "Leash") -> "AbstractContextManager[Connection]":
        """A connection within a transaction that cannot write, its statements held by `leash`.

        Raises `ToolFailure`, codes as in `tools.sql.tool`; the driver's text is dropped.
        """

    def tables(self, connection: "Connection") -> Sequence[Table]:
        """At most `MAX_TABLES_READ` tables with their columns, and the names of the rest."""
