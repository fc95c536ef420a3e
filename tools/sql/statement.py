"""One SQL statement: parsed, held against the allow rules, and written in one canonical form.

What runs is the checked tree written back, never the text that came in. Two texts with the same
canonical form are the same query (C5.3): keywords, white space, comments, and the quoting and case
of names where the engine ignores them are normalised away, literals are not.
"""

import re
from collections.abc import Set
from dataclasses import dataclass

from sqlalchemy.dialects import registry
from sqlglot import Token, TokenType, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel, SqlglotError
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers

from tools.evidence import ToolFailure
from tools.sql.describing import describing_sql
from tools.sql.dialects import DIALECTS, OpaqueStatementError
from tools.sql.rules import Rules

_EXECUTABLE_COMMENT = re.compile(r"/\*M?!")
"""MySQL and MariaDB run what stands in such a comment; every other reader skips it."""

_BARE_NAME = re.compile(r"[^\W\d][\w$]*")
_SURROGATE = re.compile("[\ud800-\udfff]")

# SQLite's words that SQLAlchemy does not count as reserved; quotes around them are kept
_MORE_RESERVED = {
    "sqlite": frozenset(
        {
            *("abort", "action", "always", "current", "do", "exclude", "filter", "first"),
            *("following", "generated", "groups", "last", "materialized", "no", "nothing"),
            *("nulls", "others", "over", "partition", "preceding", "range", "recursive", "regexp"),
            *("release", "returning", "rows", "savepoint", "ties", "unbounded", "window"),
            *("with", "without"),
        }
    )
}

# Only tells a refusal from a slip among texts that do not parse; neither of them runs.
_CHANGING_WORDS = frozenset(
    {
        *("alter", "analyze", "attach", "begin", "call", "commit", "copy", "create", "deallocate"),
        *("delete", "detach", "drop", "execute", "grant", "handler", "insert", "into", "kill"),
        *("load", "lock", "merge", "prepare", "reindex", "rename", "replace", "revoke"),
        *("rollback", "savepoint", "set", "truncate", "unlock", "update", "use", "vacuum"),
    }
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that may run. `sql` is its canonical form, `tables` what it reads, in order."""

    sql: str
    tables: tuple[str, ...]
    dialect: type[Dialect]
    query: exp.Query | None
    """None for a statement that describes (EXPLAIN, PRAGMA, SHOW): it takes no limit."""

    def bounded(self, max_rows: int) -> str:
        """The text to run: at most `max_rows` rows, or fewer where the statement says so itself."""
        if self.query is None:
            return self.sql
        own = self.query.args.get("limit")
        bound = min(max_rows, int(own.expression.name)) if own else max_rows
        query = self.query.copy()
        query.set("limit", exp.Limit(expression=exp.Literal.number(bound)))
        return _written(query, self.dialect)


def read_statement(sql: str, rules: Rules) -> Statement:
    """The one statement in `sql`. Raises `ToolFailure`: SQL_INVALID, SQL_NOT_ALLOWED.

    The canonical form is read and checked once more and must come out the same: sqlglot makes
    something even of broken text, and what it does not read back alike it did not understand.
    """
    first = _read_once(sql, rules)
    statement = _read_once(first.sql, rules)
    if statement.sql != first.sql:
        raise ToolFailure("SQL_INVALID", retryable=False)
    return statement


def _read_once(sql: str, rules: Rules) -> Statement:
    dialect = DIALECTS[rules.backend]
    try:
        explain, tokens = _explained(_tokens(sql, dialect), rules.backend)
        root = _single(tokens, sql, dialect)
        if not explain and (described := describing_sql(root, rules)):
            return Statement(described.sql, described.tables, dialect, None)
        query = _canonical(rules.checked_query(root), rules.backend, dialect)
        text = explain + _written(query, dialect)
    except (SqlglotError, RecursionError):
        raise ToolFailure("SQL_INVALID", retryable=False) from None
    if "\0" in text:
        raise ToolFailure("SQL_INVALID", retryable=False)
    return Statement(text, _tables(query), dialect, None if explain else query)


def _tokens(sql: str, dialect: type[Dialect]) -> list[Token]:
    if _SURROGATE.search(sql):
        raise ToolFailure("SQL_INVALID", retryable=False)
    tokens = dialect().tokenize(sql)
    starts = [token.start for token in tokens]
    ends = [token.end + 1 for token in tokens]
    for after, before in zip([0, *ends], [*starts, len(sql)], strict=True):
        if _EXECUTABLE_COMMENT.search(sql[after:before]):
            raise ToolFailure("SQL_NOT_ALLOWED", retryable=False)
    return tokens


def _explained(tokens: list[Token], backend: str) -> tuple[str, list[Token]]:
    """The EXPLAIN before a statement, and the statement: it is checked like one that runs."""
    words = [token.text.upper() for token in tokens[:3]]
    if words[:1] != ["EXPLAIN"] or tokens[0].token_type is not TokenType.VAR:
        return "", tokens
    if backend == "sqlite" and words == ["EXPLAIN", "QUERY", "PLAN"]:
        return "EXPLAIN QUERY PLAN ", tokens[3:]
    return "EXPLAIN ", tokens[1:]


def _single(tokens: list[Token], sql: str, dialect: type[Dialect]) -> exp.Expr:
    try:
        trees = dialect().parser().parse(tokens, sql)
    except OpaqueStatementError:
        raise ToolFailure("SQL_NOT_ALLOWED", retryable=False) from None
    except SqlglotError:
        code = "SQL_NOT_ALLOWED" if _says_change(tokens) else "SQL_INVALID"
        raise ToolFailure(code, retryable=False) from None
    statements = [tree for tree in trees if tree and not isinstance(tree, exp.Semicolon)]
    if len(statements) != 1:
        code = "SQL_NOT_ALLOWED" if statements else "SQL_INVALID"
        raise ToolFailure(code, retryable=False)
    return statements[0]


def _says_change(tokens: list[Token]) -> bool:
    text = (TokenType.STRING, TokenType.IDENTIFIER)
    words = (token.text.lower().split() for token in tokens if token.token_type not in text)
    return any(_CHANGING_WORDS.intersection(word) for word in words)


def _canonical(query: exp.Query, backend: str, dialect: type[Dialect]) -> exp.Query:
    normal = normalize_identifiers(query, dialect=dialect)
    reserved = registry.load(backend).preparer.reserved_words | _MORE_RESERVED.get(backend, set())
    for call in normal.find_all(exp.Anonymous):
        call.set("this", call.name)
    for name in normal.find_all(exp.Identifier):
        if name.quoted and _needs_no_quotes(name.name, reserved, dialect):
            name.set("quoted", False)
    return normal


def _needs_no_quotes(name: str, reserved: Set[str], dialect: type[Dialect]) -> bool:
    if not _BARE_NAME.fullmatch(name) or name.lower() in reserved:
        return False
    bare = exp.to_identifier(name, quoted=False)
    if normalize_identifiers(bare, dialect=dialect).name != name:
        return False
    tokens = dialect().tokenize(name)
    return len(tokens) == 1 and tokens[0].token_type is TokenType.VAR


def _written(tree: exp.Expr, dialect: type[Dialect]) -> str:
    return tree.sql(dialect=dialect, comments=False, unsupported_level=ErrorLevel.RAISE)


def _tables(query: exp.Query) -> tuple[str, ...]:
    own = {cte.alias for cte in query.find_all(exp.CTE)}
    named = (
        table.name
        for table in query.find_all(exp.Table, bfs=False)
        if isinstance(table.this, exp.Identifier) and (table.db or table.name not in own)
    )
    return tuple(dict.fromkeys(named))
