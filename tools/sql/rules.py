"""The read-only rules of one database: which parsed statements may run."""

from dataclasses import dataclass

from sqlglot import exp

from tools.databases.pragmas import READ_PRAGMAS
from tools.evidence import ToolFailure
from tools.sql.allowed import (
    FUNCTIONS_BY_BACKEND,
    INFORMATION_SCHEMA,
    INFORMATION_TABLES,
    NODES_BY_BACKEND,
    SQLITE_SYSTEM_TABLES,
)
from tools.sql.outputs import writes_own_text


def _refuse() -> ToolFailure:
    return ToolFailure("SQL_NOT_ALLOWED", retryable=False)


def _is_whole_number(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and node.is_int


@dataclass(frozen=True, slots=True)
class Rules:
    """`backend` is the URL's; `schemas` are the names a table may be qualified with."""

    backend: str
    schemas: frozenset[str]

    def checked_query(self, root: exp.Expr) -> exp.Query:
        """`root` if it only reads. Raises `ToolFailure` SQL_NOT_ALLOWED or SQL_INVALID."""
        if not isinstance(root, exp.Select | exp.SetOperation):
            raise _refuse()
        self.check_nodes(root)
        if writes_own_text(root):
            raise _refuse()
        for bound in (root.args.get("limit"), root.args.get("offset")):
            if bound and not _is_whole_number(bound.expression):
                raise ToolFailure("SQL_INVALID", retryable=False)
        return root

    def check_nodes(self, root: exp.Expr) -> None:
        """Refuses a tree with a node, function or table that no rule allows."""
        nodes = NODES_BY_BACKEND[self.backend]
        functions = FUNCTIONS_BY_BACKEND[self.backend]
        for node in root.walk():
            if type(node) not in nodes:
                raise _refuse()
            if isinstance(node, exp.Anonymous) and node.name.lower() not in functions:
                raise _refuse()
            if isinstance(node, exp.Table) and not self.may_read(node):
                raise _refuse()

    def may_read(self, table: exp.Table) -> bool:
        """Whether the table is one of the application's, or describes the schema."""
        name, schema = table.name.lower(), table.db.lower()
        if table.catalog:
            return False
        if schema == INFORMATION_SCHEMA:
            return self.backend != "sqlite" and name in INFORMATION_TABLES
        if schema and schema not in self.schemas:
            return False
        return not self._is_system(name)

    def _is_system(self, name: str) -> bool:
        match self.backend:
            case "sqlite":
                if name.startswith("pragma_"):
                    return name.removeprefix("pragma_") not in READ_PRAGMAS
                return name.startswith("sqlite_") and name not in SQLITE_SYSTEM_TABLES
            case "postgresql":
                return name.startswith("pg_")
            case _:
                return False
