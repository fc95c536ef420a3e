"""`query_mysql` on a SQLite file: its input, scope and description, and its failures as codes."""

import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from graph.settings import Settings, SettingsError
from graph.sources import make_tools
from tests.sources.sql_database import failure, make_database, run
from tools.databases.opening import open_database
from tools.sql import SqlTool


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_database(tmp_path / "shop #1%.sqlite")


@pytest.fixture
def tool(path: Path) -> SqlTool:
    return SqlTool(f"sqlite:///{path}")


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("DROP TABLE orders", "SQL_NOT_ALLOWED"),
        ("SELECT name FROM prying", "SQL_NOT_ALLOWED"),  # what a view hides, the engine refuses
        ("SELECT FROM", "SQL_INVALID"),
        ("SELECT order_id FROM orders a, orders b", "SQL_INVALID"),
        ("SELECT json('{')", "SQL_INVALID"),
        ("SELECT nosuch FROM orders", "SQL_UNKNOWN_NAME"),
        ('SELECT "nosuch" FROM orders', "SQL_UNKNOWN_NAME"),
        ("SELECT * FROM nosuch", "SQL_UNKNOWN_NAME"),
        ("SELECT * FROM broken", "SQL_UNKNOWN_NAME"),
        ("WITH RECURSIVE n(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM n) SELECT max(s) FROM n",
         "SQL_TOO_LARGE"),
    ],
)  # fmt: skip
async def test_failures_are_codes(tool: SqlTool, sql: str, code: str) -> None:
    assert await failure(tool, sql) == (code, False)


async def test_files_that_are_no_database(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_bytes(b"not a database at all, only some text\n" * 50)
    empty = tmp_path / "empty.sqlite"
    empty.touch()
    sql = "SELECT * FROM orders"
    # what reads no table says so too: it is all that a check of the settings asks
    for asked in (sql, "SELECT 1"):
        assert await failure(SqlTool(f"sqlite:///{text}"), asked) == ("DATABASE_UNREADABLE", False)
    assert await failure(SqlTool(f"sqlite:///{tmp_path}"), sql) == ("DATABASE_UNAVAILABLE", True)
    missing = tmp_path / "missing.sqlite"
    assert await failure(SqlTool(f"sqlite:///{missing}"), sql) == ("DATABASE_UNAVAILABLE", True)
    assert not missing.exists()  # and is not made by looking
    assert await failure(SqlTool(f"sqlite:///{empty}"), sql) == ("SQL_UNKNOWN_NAME", False)
    assert "no tables" in SqlTool(f"sqlite:///{empty}").description


async def test_nothing_of_a_failure_is_logged(
    tool: SqlTool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for sql in (
        "CALL canary_7f3a()",
        "SELECT canary_7f3a FROM orders",
        "SELECT json('canary_7f3a')",
    ):
        await failure(tool, sql)
    await run(tool, "SELECT note -> '$.canary_7f3a[#-1]' FROM orders WHERE note = 'no'")
    assert "canary_7f3a" not in caplog.text


def test_the_description_lists_tables_as_they_are_written(tool: SqlTool) -> None:
    description = tool.description
    assert "orders(order_id bigint, tenant_id, status, note)" in description
    assert '"order"("select" int, "name with space; DROP TABLE x")' in description
    assert "broken()" in description
    assert "sqlite" in description
    assert len(description) < 1_500


def test_a_large_schema_is_listed_as_far_as_there_is_room(tmp_path: Path) -> None:
    tables = (f"CREATE TABLE table_{n:03} (column_a, column_b, column_c);" for n in range(300))
    path = make_database(tmp_path / "large.sqlite", f"BEGIN; {' '.join(tables)} COMMIT;")
    description = SqlTool(f"sqlite:///{path}").description
    assert "table_000(column_a, column_b, column_c)" in description
    assert " more tables." in description
    assert len(description) < 1_500


def test_a_description_waits_for_its_database(tmp_path: Path) -> None:
    path = tmp_path / "late.sqlite"
    tool = SqlTool(f"sqlite:///{path}")
    assert "not readable" in tool.description
    make_database(path, "CREATE TABLE late (a)")
    assert "late(a)" in tool.description


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"sql": ""},
        {"sql": "x" * 4_001},
        {"sql": "SELECT 1", "limit": 0},
        {"sql": "SELECT 1", "limit": 201},
        {"sql": "SELECT 1", "database": "x"},
    ],
)
def test_input_is_bounded(tool: SqlTool, values: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        tool.Input.model_validate(values)


def test_scope_is_the_canonical_statement_and_the_limit(tool: SqlTool) -> None:
    # C5.3: defaults filled in, the adapter runs exactly this
    scope = tool.scope(tool.Input.model_validate({"sql": " select 1 -- one\n"}))
    assert scope == {"sql": "SELECT 1", "limit": 50}
    assert tool.scope(tool.Input.model_validate(scope)) == scope


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("sqlite://", "SQLite file"),
        ("sqlite:///:memory:", "SQLite file"),
        ("x", "database URL"),
        ("oracle://u:secret@h/d", "database URL"),
        ("mysql://u:secret@h:port/d", "database URL"),
        ("mysql://u:secret@h", "name of a database"),
        ("mysql+mysqldb://u:secret@h/d", "by pymysql"),
        ("postgresql+psycopg2://u:secret@h/d", "by psycopg"),
        ("mysql://u:secret@h/mysql", "own schemas"),
        ("mariadb://u:secret@h/Information_Schema", "own schemas"),
        ("postgresql://u:secret@h/d?options=-csearch_path%3Dshop,pg_catalog", "own schemas"),
    ],
)
def test_other_databases_are_refused_at_once_without_their_url(url: str, said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        SqlTool(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "extra"), [("mysql://u:secret@h/d", "mysql"), ("postgresql://u:secret@h/d", "postgres")]
)
def test_a_missing_driver_is_named_with_what_brings_it(
    url: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.databases.urls.find_spec", lambda name: None)
    with pytest.raises(SettingsError, match=f"sources.database: .* --extra {extra}$") as caught:
        make_tools(Settings(sources={"database": url}))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "backend", "schemas"),
    [
        ("mysql://u@h/shop", "mysql", ("shop",)),
        ("mysql+pymysql://u@h/shop", "mysql", ("shop",)),
        ("mariadb://u@h/shop?ssl_ca=x", "mysql", ("shop",)),
        ("postgresql://u@h/d", "postgresql", ("public",)),
        ("postgres://u@h/d?sslmode=require", "postgresql", ("public",)),
        ("postgresql+psycopg://u@h/d?options=-csearch_path%3Dshop,public", "postgresql",
         ("shop", "public")),
    ],
)  # fmt: skip
def test_a_url_names_engine_and_schemas(url: str, backend: str, schemas: tuple[str, ...]) -> None:
    database = open_database(url)
    assert (database.backend, database.schemas) == (backend, schemas)


def test_importing_and_making_the_tool_is_light() -> None:
    code = (
        "import sys; from tools.sql import SqlTool; SqlTool('sqlite:////nowhere/x.sqlite');"
        "sys.exit(bool({'sqlalchemy', 'sqlglot'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
