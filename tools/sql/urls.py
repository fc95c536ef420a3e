"""Which engine, driver and schemas a database URL names; a wrong one is refused, never quoted."""

import re
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from sqlalchemy import URL

Backend = Literal["sqlite", "mysql", "postgresql"]

KINDS = "sqlite:///path, mysql://…, mariadb://… or postgresql://…/database"
_DRIVERS: dict[str, tuple[Backend, str, str]] = {
    "mysql": ("mysql", "pymysql", "mysql"),
    "mariadb": ("mysql", "pymysql", "mysql"),
    "postgresql": ("postgresql", "psycopg", "postgres"),
    "postgres": ("postgresql", "psycopg", "postgres"),
}
"""By the kind of the URL: the engine, its driver and the extra that brings it."""

_SYSTEM_SCHEMAS = frozenset(
    {"mysql", "sys", "performance_schema", "information_schema", "pg_catalog", "pg_toast"}
)
_SEARCH_PATH = re.compile(r"-c\s*search_path=((?:[^\s\\]|\\.)+)")


@dataclass(frozen=True, slots=True)
class ServerUrl:
    """A server's address with our driver in it, and the schemas that may be read, first first."""

    backend: Backend
    url: "URL"
    schemas: tuple[str, ...]


def names_a_file(url: str) -> bool:
    """Whether it is a SQLite URL. Raises ValueError for one without a file."""
    kind, _, place = url.partition("://")
    if kind.partition("+")[0] != "sqlite":
        return False
    if place.lstrip("/") in ("", ":memory:"):
        raise ValueError("query_mysql needs the URL of a SQLite file: sqlite:///path/to/file")
    return True


def server_url(text: str) -> ServerUrl:
    """What a server's URL names. Raises ValueError, without the URL: it holds a password."""
    kind, _, driver = text.partition("://")[0].partition("+")
    if kind not in _DRIVERS:
        raise ValueError(f"query_mysql needs a database URL: {KINDS}")
    backend, needed, extra = _DRIVERS[kind]
    if driver not in ("", needed):
        raise ValueError(f"query_mysql reads {kind} by {needed}: {kind}+{needed}://…")
    url = _parsed(text).set(drivername=f"{backend}+{needed}")
    if not url.database:
        raise ValueError(f"query_mysql needs the name of a database in its URL: {KINDS}")
    schemas = (url.database,) if backend == "mysql" else _search_path(url)
    if _SYSTEM_SCHEMAS.intersection(schema.lower() for schema in schemas):
        raise ValueError("query_mysql does not read the server's own schemas")
    if find_spec(needed) is None:
        raise ValueError(f"{kind} needs a driver that is not installed: uv sync --extra {extra}")
    return ServerUrl(backend, url, schemas)


def _parsed(text: str) -> "URL":
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        return make_url(text)
    except (ArgumentError, ValueError):
        raise ValueError(f"query_mysql needs a database URL: {KINDS}") from None


def _search_path(url: "URL") -> tuple[str, ...]:
    """The schemas in `?options=-csearch_path=a,b`; `public` without."""
    options = url.query.get("options", "")
    given = _SEARCH_PATH.search(options if isinstance(options, str) else " ".join(options))
    if given is None:
        return ("public",)
    names = re.sub(r"\\(.)", r"\1", given[1]).split(",")
    return tuple(dict.fromkeys(name.strip().strip('"') for name in names if name.strip()))
