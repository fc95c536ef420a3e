"""Rows say what the database holds, never what the query says (C6.2)."""

import pytest

from tools import ToolFailure
from tools.sql.rules import Rules
from tools.sql.statement import read_statement

RULES = Rules("sqlite", frozenset({"main"}))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 'connection pool exhausted' AS cause",
        "SELECT id, 'connection pool exhausted' AS cause FROM orders",
        "SELECT COALESCE(note, 'connection pool exhausted') FROM orders",
        "SELECT CASE WHEN status = 0 THEN 'connection pool exhausted' END FROM orders",
        "SELECT status || ' connection pool exhausted' FROM orders",
        "WITH t AS (SELECT 'connection pool exhausted' AS cause) SELECT cause FROM t",
        "SELECT cause FROM (SELECT 'connection pool exhausted' AS cause)",
        "SELECT 1 UNION ALL SELECT 'connection pool exhausted'",
        "SELECT (SELECT 'connection pool exhausted')",
    ],
)
def test_own_text_is_refused(sql: str) -> None:
    with pytest.raises(ToolFailure) as refused:
        read_statement(sql, RULES)
    assert refused.value.code == "SQL_NOT_ALLOWED"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "SELECT COUNT(*) AS failed_orders FROM orders WHERE note = 'connection pool exhausted'",
        "SELECT status = 'PAYMENT_FAILED' AS failed FROM orders",
        "SELECT SUM(CASE WHEN status = 'PAYMENT_FAILED' THEN 1 ELSE 0 END) AS n FROM orders",
        "SELECT first || ', ' || last FROM people",
        "SELECT (SELECT COUNT(*) FROM orders WHERE status = 'PAYMENT_FAILED') AS n",
        "SELECT id FROM orders GROUP BY id HAVING MAX(note) = 'connection pool exhausted'",
    ],
)
def test_comparing_with_a_text_is_not(sql: str) -> None:
    read_statement(sql, RULES)
