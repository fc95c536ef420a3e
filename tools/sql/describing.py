"""Statements that describe the schema, by a closed list: SQLite's PRAGMA, MySQL's SHOW."""

from dataclasses import dataclass

from sqlglot import exp
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers

from tools.databases.pragmas import READ_PRAGMAS
from tools.evidence import ToolFailure
from tools.sql.allowed import SHOWABLE
from tools.sql.dialects import DIALECTS
from tools.sql.rules import Rules

_SHOW_PARTS = frozenset({"this", "target", "db", "full", "like"})


@dataclass(frozen=True, slots=True)
class Described:
    sql: str
    tables: tuple[str, ...]


def describing_sql(root: exp.Expr, rules: Rules) -> Described | None:
    """The canonical form of a describing statement; None when `root` is none.

    Raises `ToolFailure` SQL_NOT_ALLOWED for one that is not on the list.
    """
    described: Described | None
    match root:
        case exp.Pragma() if rules.backend == "sqlite":
            described = _pragma(root)
        case exp.Show() if rules.backend == "mysql":
            described = _show(root, rules)
        case exp.Describe() if rules.backend == "mysql":
            described = _describe(root, rules)
        case _:
            return None
    if described is None:
        raise ToolFailure("SQL_NOT_ALLOWED", retryable=False)
    return described


def _pragma(root: exp.Pragma) -> Described | None:
    called = root.this
    name, value = (called.this, called.expression) if isinstance(called, exp.EQ) else (called, None)
    if not isinstance(name, exp.Var) or name.name.lower() not in READ_PRAGMAS:
        return None
    pragma = name.name.lower()
    if value is None:
        return Described(f"PRAGMA {pragma}", ()) if pragma == "table_list" else None
    plain = isinstance(value, exp.Column) and not value.table
    if not plain and not isinstance(value, exp.Literal | exp.Var):
        return None
    dialect = DIALECTS["sqlite"]
    table = normalize_identifiers(exp.to_identifier(value.name, quoted=True), dialect=dialect)
    return Described(f"PRAGMA {pragma}({table.sql(dialect=dialect)})", (table.name,))


def _show(root: exp.Show, rules: Rules) -> Described | None:
    given = {part for part, value in root.args.items() if value}
    if root.name.upper() not in SHOWABLE or given - _SHOW_PARTS:
        return None
    schema = root.text("db").lower()
    if schema and schema not in rules.schemas:
        return None
    target = root.text("target")
    sql = root.sql(dialect=DIALECTS["mysql"], comments=False)
    return Described(sql, (target,) if target else ())


def _describe(root: exp.Describe, rules: Rules) -> Described | None:
    given = {part for part, value in root.args.items() if value}
    table = root.this
    if given != {"this"} or not isinstance(table, exp.Table) or not rules.may_read(table):
        return None
    rules.check_nodes(table)
    return Described(root.sql(dialect=DIALECTS["mysql"], comments=False), (table.name,))
