"""MySQL and MariaDB, by PyMySQL: a session that cannot write, in UTC, with the server's own limit.

The account needs no more than this, and should have no more:

    CREATE USER 'diagnosis'@'%' IDENTIFIED BY '…';
    GRANT SELECT, SHOW VIEW ON shop.* TO 'diagnosis'@'%';

No FILE, PROCESS, EXECUTE or write privilege: the parsed rules and the read-only transaction hold
without it, but a grant holds whatever they have overlooked. TLS is asked for in the URL:
`?ssl_ca=/etc/ssl/shop-ca.pem&ssl_verify_identity=true`.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from pymysql.constants import FIELD_TYPE
from pymysql.converters import encoders
from sqlalchemy import Connection, event

from tools.databases.database import MAX_COLUMNS_READ, MAX_COMMENT_CHARS, Column, Table
from tools.databases.leash import Leash
from tools.databases.servers import CONNECT_SECONDS, LOCK_SECONDS, ServerDatabase, shut
from tools.databases.urls import ServerUrl
from tools.evidence import ToolFailure

_TABLES = (
    "SELECT table_name, CASE WHEN table_type IN ('VIEW', 'SYSTEM VIEW') THEN '' ELSE"
    f" LEFT(table_comment, {MAX_COMMENT_CHARS + 1}) END"
    " FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY table_name"
)
_COLUMNS = (
    f"SELECT table_name, column_name, column_type, LEFT(column_comment, {MAX_COMMENT_CHARS + 1})"
    " FROM information_schema.columns WHERE table_schema = DATABASE()"
    f" ORDER BY table_name, ordinal_position LIMIT {MAX_COLUMNS_READ}"
)


class MySqlDatabase(ServerDatabase):
    """One MySQL or MariaDB database, named by the URL."""

    backend = "mysql"
    times = "TIMESTAMP and NOW() in UTC, DATETIME as stored"

    def __init__(self, server: ServerUrl) -> None:
        super().__init__(
            server,
            {
                "connect_timeout": CONNECT_SECONDS,
                "charset": "utf8mb4",
                "password": (server.url.password or "").encode(),  # PyMySQL knows Latin 1 only
                "local_infile": False,  # a server could ask for any file of ours
                "conv": {**encoders, **_DECODERS},
            },
        )
        event.listen(self._engine, "do_connect", self._connect)

    def tables(self, connection: Connection) -> Sequence[Table]:
        """As `Database.tables`: of the one schema."""
        columns: dict[str, list[Column]] = {}
        for table, *column in connection.exec_driver_sql(_COLUMNS):
            columns.setdefault(table, []).append(Column(*column))
        quote = connection.dialect.identifier_preparer.quote
        return [
            Table(quote(name), tuple(columns.get(name, ())), comment)
            for name, comment in connection.exec_driver_sql(_TABLES)
        ]

    def _prepare(self, driver: Any, max_seconds: float) -> None:
        with driver.cursor() as cursor:
            for statement in session_statements(driver.get_server_info(), max_seconds):
                cursor.execute(statement)

    def _begin(self, connection: Connection) -> None:
        connection.exec_driver_sql("START TRANSACTION READ ONLY")

    def _connect(self, dialect: Any, _record: object, _args: object, given: dict[str, Any]) -> Any:
        """The driver's own limits are for single packets; this one is for the whole greeting."""
        driver = dialect.loaded_dbapi.connect(**given, defer_connect=True)
        leash: Leash = self._query.leash
        with leash.holding(lambda: _shut_early(driver), CONNECT_SECONDS):
            driver.connect()
        return driver

    def _leave(self, cursor: Any) -> None:
        result = getattr(cursor, "_result", None)
        if result is not None:
            result.unbuffered_active = False

    def _file_number(self, driver: Any) -> int:
        number: int = driver._sock.fileno()
        return number

    def _failure(self, error: BaseException | None) -> ToolFailure:
        number = error.args[0] if error is not None and error.args else None
        code = next((code for code, numbers in _CODES.items() if number in numbers), "SQL_INVALID")
        retryable = code in ("DATABASE_BUSY", "DATABASE_UNAVAILABLE")
        return ToolFailure(code, retryable=retryable)


def session_statements(server_version: str, max_seconds: float) -> list[str]:
    """What a session begins with. `sql_mode` decides how text is read, so it is not left to the
    server: another one would read the checked statement differently from the one who checked.
    Nor are the bounds beyond which a server only warns and answers with less."""
    limits = (
        [f"max_statement_time = {max_seconds:.3f}", f"max_recursive_iterations = {2**32 - 1}"]
        if "MariaDB" in server_version
        else [f"max_execution_time = {max(1, int(max_seconds * 1000))}"]
    )
    joined = f"group_concat_max_len = {_MAX_JOINED_BYTES}"
    settings = ["sql_mode = ''", "time_zone = '+00:00'", joined, *limits]
    waits = [f"{kind} = {LOCK_SECONDS}" for kind in ("lock_wait_timeout", _ROW_LOCK_WAIT)]
    return [
        "SET SESSION TRANSACTION READ ONLY",
        *(f"SET SESSION {setting}" for setting in (*settings, *waits)),
    ]


_ROW_LOCK_WAIT = "innodb_lock_wait_timeout"
_MAX_JOINED_BYTES = 1024 * 1024


def _shut_early(driver: Any) -> None:
    if driver._sock is not None:
        shut(driver._sock)


def _bits(stored: bytes) -> int:
    return int.from_bytes(stored, "big")


def _instant(text: str) -> str:
    """The session's zone is UTC; the zero value is no instant."""
    return text if text.startswith("0000") else f"{text}+00:00"


_INTEGERS = (
    *(FIELD_TYPE.TINY, FIELD_TYPE.SHORT, FIELD_TYPE.LONG, FIELD_TYPE.LONGLONG),
    *(FIELD_TYPE.INT24, FIELD_TYPE.YEAR),
)
_DECODERS: dict[int, Callable[[Any], Any]] = {
    **dict.fromkeys(_INTEGERS, int),
    **dict.fromkeys((FIELD_TYPE.FLOAT, FIELD_TYPE.DOUBLE), float),
    **dict.fromkeys((FIELD_TYPE.DECIMAL, FIELD_TYPE.NEWDECIMAL), Decimal),
    FIELD_TYPE.BIT: _bits,
    FIELD_TYPE.TIMESTAMP: _instant,
}
"""Other values stay text or bytes: no date the server holds is too odd for a text."""

_CODES: dict[str, frozenset[int | None]] = {
    "SQL_TIMEOUT": frozenset({1317, 1969, 3024}),
    "SQL_NOT_ALLOWED": frozenset({1142, 1143, 1227, 1290, 1370, 1792}),
    "SQL_UNKNOWN_NAME": frozenset({1051, 1054, 1109, 1146, 1305, 1356}),
    "SQL_TOO_LARGE": frozenset({1021, 1037, 1038, 1041, 1104, 1114, 1153, 1301, 3636, 3675}),
    "DATABASE_BUSY": frozenset({1205, 1213, 3572}),
    "DATABASE_ACCESS_DENIED": frozenset({1044, 1045, 1130, 1251, 1698, 1862, 3118, 3159}),
    "DATABASE_UNKNOWN": frozenset({1049}),
    "DATABASE_UNREADABLE": frozenset({1030, 1033, 1034, 1194, 1195, 1712}),
    "DATABASE_UNAVAILABLE": frozenset(
        {0, None, *(1040, 1053, 1129, 1152, 1159, 1161, 1203, 2002, 2003, 2006, 2013, 2026, 2055)}
    ),
}
"""Error numbers of MySQL and MariaDB; what is not listed is a statement that it refuses."""
