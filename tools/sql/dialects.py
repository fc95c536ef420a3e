"""How each database's SQL is parsed and written back, so that a statement keeps its meaning.

sqlglot translates between dialects: it knows functions by a common name and types by a common kind,
and may write them back differently. Here nothing is translated. A function call keeps the name the
engine knows it by (which is also the name the allow rule is about) and a type stays as written.
In SQLite names are quoted with backticks: SQLite reads a double-quoted name that names no column as
a text, which would turn a misspelt column into an empty result.
"""

from typing import Any, ClassVar, NoReturn

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.dialects.mysql import MySQL
from sqlglot.dialects.postgres import Postgres
from sqlglot.dialects.sqlite import SQLite
from sqlglot.errors import ParseError
from sqlglot.generator import Generator
from sqlglot.generators.mysql import MySQLGenerator
from sqlglot.generators.sqlite import SQLiteGenerator
from sqlglot.parsers.mysql import MySQLParser
from sqlglot.parsers.postgres import PostgresParser
from sqlglot.parsers.sqlite import SQLiteParser

_OWN_GRAMMAR = ("CAST", "CONVERT", "EXTRACT", "GROUP_CONCAT", "POSITION", "SUBSTRING", "TRIM")
"""Calls that are more than `name(argument, …)`."""


def _without_explain(keywords: dict[str, Any]) -> dict[str, Any]:
    """EXPLAIN as an ordinary word: its statement is parsed like any other, not kept as text."""
    return {word: token for word, token in keywords.items() if word != "EXPLAIN"}


def _only(parsers: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: parsers[name] for name in names if name in parsers}


class OpaqueStatementError(ParseError):
    """A statement that sqlglot does not parse but would keep as text: a command of some kind."""


def _refuse(_parser: object) -> NoReturn:
    """In place of keeping the text, which would also be logged."""
    raise OpaqueStatementError("not parsed")


def _as_written(_dialect: object, path: exp.Expr | None) -> exp.Expr | None:
    """A JSON path is a literal like any other; parsing it would rewrite it, and log it when odd."""
    return path


class ReadSQLite(SQLite):
    to_json_path = _as_written

    class Tokenizer(SQLite.Tokenizer):
        IDENTIFIERS: ClassVar[list[Any]] = ["`", '"', ("[", "]")]
        KEYWORDS: ClassVar[dict[str, Any]] = _without_explain(SQLite.Tokenizer.KEYWORDS)

    class Parser(SQLiteParser):
        FUNCTIONS: ClassVar[dict[str, Any]] = {}
        FUNCTION_PARSERS = _only(SQLiteParser.FUNCTION_PARSERS, "CAST")
        NO_PAREN_FUNCTION_PARSERS = _only(SQLiteParser.NO_PAREN_FUNCTION_PARSERS, "CASE")
        _warn_unsupported = _refuse

    class Generator(SQLiteGenerator):
        TYPE_MAPPING: ClassVar[dict[Any, str]] = {}

        def cast_sql(self, expression: exp.Cast, safe_prefix: str | None = None) -> str:
            return Generator.cast_sql(self, expression, safe_prefix)


class ReadMySQL(MySQL):
    to_json_path = _as_written

    class Tokenizer(MySQL.Tokenizer):
        KEYWORDS: ClassVar[dict[str, Any]] = _without_explain(MySQL.Tokenizer.KEYWORDS)

    class Parser(MySQLParser):
        FUNCTIONS: ClassVar[dict[str, Any]] = {}
        FUNCTION_PARSERS = _only(MySQLParser.FUNCTION_PARSERS, *_OWN_GRAMMAR)
        NO_PAREN_FUNCTION_PARSERS = _only(MySQLParser.NO_PAREN_FUNCTION_PARSERS, "CASE")
        _warn_unsupported = _refuse

    class Generator(MySQLGenerator):
        TRANSFORMS: ClassVar[dict[Any, Any]] = {
            **MySQLGenerator.TRANSFORMS,
            # MariaDB has the operator but not the function
            exp.RegexpLike: lambda self, node: self.binary(node, "REGEXP"),
        }


class ReadPostgres(Postgres):
    to_json_path = _as_written

    class Tokenizer(Postgres.Tokenizer):
        KEYWORDS: ClassVar[dict[str, Any]] = _without_explain(Postgres.Tokenizer.KEYWORDS)

    class Parser(PostgresParser):
        FUNCTIONS: ClassVar[dict[str, Any]] = {}
        FUNCTION_PARSERS = _only(PostgresParser.FUNCTION_PARSERS, *_OWN_GRAMMAR)
        NO_PAREN_FUNCTION_PARSERS = _only(PostgresParser.NO_PAREN_FUNCTION_PARSERS, "ANY", "CASE")
        _warn_unsupported = _refuse


DIALECTS: dict[str, type[Dialect]] = {
    "sqlite": ReadSQLite,
    "mysql": ReadMySQL,
    "postgresql": ReadPostgres,
}
"""By the backend name of a database URL."""
