"""`query_mysql`: one read-only SQL statement on one database, its rows as evidence.

The dialect and its rules come from the database URL. Failure codes, the driver's text never:

| code | meaning |
|---|---|
| `SQL_NOT_ALLOWED` | not one plain reading statement by the rules in `tools.sql.allowed` |
| `SQL_INVALID` | does not parse, or the database refuses it as it is written |
| `SQL_UNKNOWN_NAME` | a table or column that does not exist, also behind a view |
| `SQL_TIMEOUT` | ran into the time limit, the server's or ours |
| `SQL_TOO_LARGE` | a single value, or a recursion, beyond what may be held |
| `DATABASE_BUSY`, `DATABASE_UNAVAILABLE` | locked, cannot be reached or read now; may be retried |
| `DATABASE_ACCESS_DENIED` | the server refuses the account |
| `DATABASE_UNKNOWN` | the server has no such database |
| `DATABASE_MISCONFIGURED` | an option of the URL, such as a certificate, is wrong |
| `DATABASE_UNREADABLE` | not a database, damaged, no permission |
"""

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from tools.evidence import Evidence, EvidenceTool, ToolFailure, ToolResult

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from tools.databases.database import Database
    from tools.databases.leash import Leash
    from tools.sql.rows import Rows
    from tools.sql.statement import Statement

_MAX_SQL_CHARS = 4000
_MAX_TABLES_IN_SOURCE = 8
_DESCRIBE_SECONDS = 2.0
_LISTING_CHARS = 900


class SqlInput(BaseModel):
    """One SELECT or EXPLAIN; text in single quotes."""

    model_config = ConfigDict(extra="forbid")

    sql: Annotated[str, Field(min_length=1, max_length=_MAX_SQL_CHARS)]
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class SqlTool(EvidenceTool[SqlInput]):
    """Reads one database by SQL.

    `url` is an SQLAlchemy URL: `sqlite:///path`, `mysql://`, `mariadb://` or `postgresql://`, the
    last three with their driver named or not; ValueError for another one or a missing driver.
    `max_seconds` bounds one statement, `max_bytes` (UTF-8) all rows of a result, `max_cell_chars`
    one text in it. The URL never leaves the tool.
    """

    name = "query_mysql"
    Input: ClassVar[type[BaseModel]] = SqlInput
    factual = True

    def __init__(
        self,
        url: str,
        *,
        max_seconds: float = 10.0,
        max_bytes: int = 65_536,
        max_cell_chars: int = 2_000,
    ) -> None:
        from tools.databases.urls import names_a_file, server_url

        if not names_a_file(url):
            server_url(url)
        self._url = url
        self._max_seconds = max_seconds
        self._max_bytes = max_bytes
        self._max_cell_chars = max_cell_chars
        self._opened: Database | None = None
        self._described: str | None = None

    @property
    def description(self) -> str:  # type: ignore[override]  # read from the database when needed
        """What can be queried; without its tables, and tried again, while it cannot be reached."""
        if self._described is None:
            try:
                tables = self._tables()
            except ToolFailure:
                return self._sentence("not readable at the moment")
            self._described = self._sentence(tables)
        return self._described

    def scope(self, request: SqlInput) -> dict[str, Any]:
        """The statement in canonical form and the limit (C5.3). Raises for a refused one."""
        return {"sql": self._read(request.sql).sql, "limit": request.limit}

    async def search(self, request: SqlInput) -> ToolResult:
        """One evidence a row, in the order of the database. Codes: see the module."""
        from tools.databases.leash import Leash

        leash = Leash(self._max_seconds)
        try:
            return await asyncio.to_thread(self._answer, request, leash)
        finally:
            leash.let_go()

    def _answer(self, request: SqlInput, leash: "Leash") -> ToolResult:
        statement = self._read(request.sql)
        database = self._database()
        with database.reading(leash) as connection:
            rows = self._rows(connection, statement, request.limit)
        tables = ", ".join(statement.tables[:_MAX_TABLES_IN_SOURCE]) or "no table"
        source = f"{database.name}: {tables}"
        return ToolResult(
            evidence=[Evidence(source, text) for text in rows.texts],
            truncated=rows.truncated,
            total=None if rows.truncated else len(rows.texts),
        )

    def _rows(self, connection: "Connection", statement: "Statement", limit: int) -> "Rows":
        """Row by row from the server: a cursor there, no more than a row at a time here."""
        from tools.sql.rows import RowBounds, read_rows

        reading = connection.execution_options(
            no_parameters=True,  # keeps % and : text
            stream_results=statement.query is not None,
            max_row_buffer=1,
        )
        # one row over the limit tells whether there are more
        with reading.exec_driver_sql(statement.bounded(limit + 1)) as result:
            bounds = RowBounds(limit, self._max_bytes, self._max_cell_chars)
            return read_rows(list(result.keys()), result, bounds)

    def _read(self, sql: str) -> "Statement":
        from tools.sql.rules import Rules
        from tools.sql.statement import read_statement

        database = self._database()
        return read_statement(sql, Rules(database.backend, frozenset(database.schemas)))

    def _database(self) -> "Database":
        if self._opened is None:
            from tools.databases.opening import open_database

            self._opened = open_database(self._url)
        return self._opened

    def _tables(self) -> str:
        from tools.databases.leash import Leash
        from tools.sql.catalogue import table_listing

        database = self._database()
        with database.reading(Leash(_DESCRIBE_SECONDS)) as connection:
            quote = connection.dialect.identifier_preparer.quote
            return table_listing(database.tables(connection), quote, _LISTING_CHARS)

    def _sentence(self, tables: str) -> str:
        database = self._database()
        return (
            f"Read the database {database.name} ({database.backend}), schema tables too;"
            f" {database.times}. Tables, comments quoted: {tables}."
        )
