"""PostgreSQL, by psycopg: a session that cannot write, in UTC, with the server's own limit.

The account needs no more than this, and should have no more:

    CREATE ROLE diagnosis LOGIN PASSWORD '…' NOSUPERUSER NOCREATEDB NOCREATEROLE;
    GRANT USAGE ON SCHEMA public TO diagnosis;
    GRANT SELECT ON ALL TABLES IN SCHEMA public TO diagnosis;
    ALTER ROLE diagnosis SET default_transaction_read_only = on;

No pg_read_server_files, pg_monitor or other role: the parsed rules and the read-only transaction
hold without it, but a grant holds whatever they have overlooked. TLS is asked for in the URL:
`?sslmode=verify-full&sslrootcert=/etc/ssl/shop-ca.pem`; other schemas than `public` by
`?options=-csearch_path%3Dshop,public`.
"""

from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg.types.string import TextLoader
from sqlalchemy import Connection

from tools.databases.database import MAX_COLUMNS_READ, MAX_COMMENT_CHARS, Column, Table
from tools.databases.servers import CONNECT_SECONDS, LOCK_SECONDS, ServerDatabase
from tools.databases.urls import ServerUrl
from tools.evidence import ToolFailure

_AS_TEXT = ("date", "time", "timetz", "timestamp", "timestamptz", "interval", "json", "jsonb")
"""Types whose text holds more than Python's: infinity, BC, months, every digit of a number."""

_CHECKS_ITS_CLIENT = 140_000
"""From this version on the server can notice that nobody waits any more."""

_TABLES = f"""
SELECT n.nspname, c.relname, left(obj_description(c.oid, 'pg_class'), {MAX_COMMENT_CHARS + 1}),
       a.attname, format_type(a.atttypid, a.atttypmod),
       left(col_description(c.oid, a.attnum), {MAX_COMMENT_CHARS + 1})
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_attribute a
  ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  AND has_column_privilege(c.oid, a.attnum, 'SELECT')
WHERE n.nspname = ANY(current_schemas(false)) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND NOT c.relispartition AND has_any_column_privilege(c.oid, 'SELECT')
ORDER BY array_position(current_schemas(false), n.nspname), c.relname, a.attnum
LIMIT {MAX_COLUMNS_READ}
"""


class PostgresDatabase(ServerDatabase):
    """One PostgreSQL database, named by the URL, with the schemas of its search path."""

    backend = "postgresql"
    times = "times with a zone in UTC, others as stored"

    def __init__(self, server: ServerUrl) -> None:
        super().__init__(
            server,
            {"connect_timeout": CONNECT_SECONDS, "client_encoding": "utf8"},
            use_native_hstore=False,
        )

    def tables(self, connection: Connection) -> Sequence[Table]:
        """As `Database.tables`: of the search path; qualified unless they are in its first."""
        quote = connection.dialect.identifier_preparer.quote
        found: dict[str, tuple[str, list[Column]]] = {}
        for schema, table, comment, *column in connection.exec_driver_sql(_TABLES):
            first = schema == self.schemas[0]
            name = quote(table) if first else f"{quote(schema)}.{quote(table)}"
            _, columns = found.setdefault(name, (comment or "", []))
            if column[0] is not None:
                columns.append(Column(column[0], column[1], column[2] or ""))
        return [Table(name, tuple(columns), said) for name, (said, columns) in found.items()]

    def _prepare(self, driver: Any, max_seconds: float) -> None:
        for type_name in _AS_TEXT:
            driver.adapters.register_loader(type_name, TextLoader)
        driver.autocommit = True
        for name, value in self._session(driver.info.server_version, max_seconds).items():
            driver.execute("SELECT pg_catalog.set_config(%s, %s, false)", (name, value))
        driver.autocommit = False

    def _session(self, server_version: int, max_seconds: float) -> dict[str, str]:
        """`standard_conforming_strings` decides how text is read, so it is not left to the
        server: without it, the checked statement is another one."""
        path = ", ".join('"' + schema.replace('"', '""') + '"' for schema in self.schemas)
        settings = {
            "default_transaction_read_only": "on",
            "statement_timeout": f"{max(1, int(max_seconds * 1000))}ms",
            "lock_timeout": f"{LOCK_SECONDS}s",
            "search_path": path,
            "TimeZone": "UTC",
            "DateStyle": "ISO",
            "standard_conforming_strings": "on",
        }
        if server_version >= _CHECKS_ITS_CLIENT:
            settings["client_connection_check_interval"] = "1s"
        return settings

    def _begin(self, connection: Connection) -> None:
        connection.exec_driver_sql("SET TRANSACTION READ ONLY")

    def _leave(self, cursor: Any) -> None:
        if cursor.connection.closed:
            cursor.close()

    def _file_number(self, driver: Any) -> int:
        number: int = driver.fileno()
        return number

    def _failure(self, error: BaseException | None) -> ToolFailure:
        state = getattr(error, "sqlstate", None)
        code = _by_state(state) if state else _by_connection(error)
        return ToolFailure(code, retryable=code in ("DATABASE_BUSY", "DATABASE_UNAVAILABLE"))


def _by_state(state: str) -> str:
    return _CODES.get(state) or _CODES.get(state[:2]) or "SQL_INVALID"


def _by_connection(error: BaseException | None) -> str:
    """Why there is no connection: libpq has only the server's sentence for it, which is English,
    or else says no more than that there is none."""
    match error:
        case psycopg.OperationalError():
            text = str(error)
            if any(said in text for said in _DENIED):
                return "DATABASE_ACCESS_DENIED"
            if any(said in text for said in _WRONG_TLS):
                return "DATABASE_MISCONFIGURED"
            return "DATABASE_UNKNOWN" if _NO_DATABASE in text else "DATABASE_UNAVAILABLE"
        case psycopg.ProgrammingError():
            return "DATABASE_MISCONFIGURED"
        case _:
            return "SQL_INVALID"


_DENIED = (
    *("authentication failed", "no password supplied", "pg_hba.conf", "permission denied for"),
    *("is not permitted to log in", 'role "'),
)
_WRONG_TLS = ("certificate", "does not support SSL")
_NO_DATABASE = '" does not exist'

_CODES = {
    "57014": "SQL_TIMEOUT",
    "25006": "SQL_NOT_ALLOWED",
    "42501": "SQL_NOT_ALLOWED",
    "42P01": "SQL_UNKNOWN_NAME",
    "42703": "SQL_UNKNOWN_NAME",
    "42704": "SQL_UNKNOWN_NAME",
    "3F000": "SQL_UNKNOWN_NAME",
    "3D000": "DATABASE_UNKNOWN",
    "55P03": "DATABASE_BUSY",
    "40": "DATABASE_BUSY",
    "28": "DATABASE_ACCESS_DENIED",
    "53300": "DATABASE_UNAVAILABLE",
    "53": "SQL_TOO_LARGE",
    "54": "SQL_TOO_LARGE",
    "57": "DATABASE_UNAVAILABLE",
    "08": "DATABASE_UNAVAILABLE",
    "58": "DATABASE_UNREADABLE",
    "XX": "DATABASE_UNREADABLE",
}
"""By SQLSTATE, else by its class; what is not listed is a statement that the server refuses."""
