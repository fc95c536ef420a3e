"""What a query may output: what stands in the database, not what the query itself says.

Rows are evidence that a root cause may rest on (C6.2). A text that the statement writes into its
own result would be cited as if it had been found.
"""

from collections.abc import Iterator

from sqlglot import exp

MAX_OWN_TEXT_BYTES = 7
"""Shorter than any quote that counts as a citation; separators and marks stay possible."""

_PASSED_ON = (exp.Alias, exp.Paren, exp.Case, exp.If, exp.Coalesce, exp.DPipe, exp.Concat)
_PASSED_ON_BY_NAME = frozenset(
    {"coalesce", "ifnull", "iif", "concat", "concat_ws", "lower", "upper", "trim"}
)
"""What hands a text through; other functions make something else of it."""


def writes_own_text(query: exp.Expr) -> bool:
    """Whether a select list or a list of values, at any depth, holds a text of its own."""
    listed = (item for select in query.find_all(exp.Select) for item in select.expressions)
    values = (item for rows in query.find_all(exp.Values) for item in rows.walk())
    return any(
        literal.is_string and len(literal.name.encode()) > MAX_OWN_TEXT_BYTES
        for item in (*listed, *values)
        for literal in _handed_through(item)
    )


def _handed_through(node: exp.Expr) -> Iterator[exp.Literal]:
    if isinstance(node, exp.Literal):
        yield node
    elif isinstance(node, _PASSED_ON) or _is_cast_to_text(node) or _passes_on(node):
        for child in node.iter_expressions():
            if not (isinstance(node, exp.If) and child.arg_key == "this"):
                yield from _handed_through(child)


def _passes_on(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.lower() in _PASSED_ON_BY_NAME


def _is_cast_to_text(node: exp.Expr) -> bool:
    return isinstance(node, exp.Cast) and node.to.this in exp.DataType.TEXT_TYPES
