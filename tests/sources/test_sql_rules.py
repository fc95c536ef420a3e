"""Which statements may run: what is refused is refused before anything is executed."""

import pytest

from tools.evidence import ToolFailure
from tools.sql.rules import Rules
from tools.sql.statement import Statement, read_statement

SQLITE = Rules("sqlite", frozenset({"main"}))
MYSQL = Rules("mysql", frozenset({"shop"}))
POSTGRESQL = Rules("postgresql", frozenset({"public"}))
ALL = (SQLITE, MYSQL, POSTGRESQL)


def refusal(sql: str, rules: Rules = SQLITE) -> str:
    with pytest.raises(ToolFailure) as caught:
        read_statement(sql, rules)
    assert not caught.value.retryable
    assert str(caught.value) == caught.value.code
    return caught.value.code


def read(sql: str, rules: Rules = SQLITE) -> Statement:
    return read_statement(sql, rules)


@pytest.mark.parametrize("rules", ALL, ids=lambda rules: rules.backend)
@pytest.mark.parametrize(
    "sql",
    [
        # changes, alone, behind a comment, stacked, in a CTE, behind EXPLAIN
        "DELETE FROM orders",
        "-- look\nDELETE FROM orders",
        "#look\nUPDATE orders SET status = 'x'",
        "INSERT INTO orders SELECT * FROM orders",
        "/* look */ UPDATE orders SET status = 'x'",
        "SELECT 1; DROP TABLE orders",
        "SELECT 1;; SELECT 2",
        "WITH t AS (SELECT 1) DELETE FROM orders WHERE id IN (SELECT * FROM t)",
        "WITH t AS (INSERT INTO orders VALUES (1) RETURNING id) SELECT * FROM t",
        "EXPLAIN ANALYZE DELETE FROM orders",
        "EXPLAIN DELETE FROM orders",
        "EXPLAIN EXPLAIN DELETE FROM orders",
        "REPLACE INTO orders VALUES (1)",
        "MERGE INTO a USING b ON a.i = b.i WHEN MATCHED THEN DELETE",
        "CREATE TABLE copy AS SELECT * FROM orders",
        "TRUNCATE TABLE orders",
        "ALTER TABLE orders ADD x INT",
        "GRANT ALL ON orders TO public",
        # other statements
        *("CALL refresh()", "DO SLEEP(1)", "SET @a = 1", "SET GLOBAL max_connections = 1"),
        *("PREPARE s FROM 'DROP TABLE orders'", "HANDLER orders OPEN", "LOCK TABLES orders WRITE"),
        *("BEGIN", "COMMIT", "USE mysql", "KILL 1", "VACUUM INTO '/tmp/copy.db'"),
        *("ATTACH DATABASE '/tmp/x.db' AS x", "LOAD DATA INFILE '/etc/passwd' INTO TABLE orders"),
        "COPY orders TO '/tmp/x'",
        # files, locks, assignments
        "SELECT * FROM orders INTO OUTFILE '/tmp/x'",
        "SELECT * FROM orders INTO/**/DUMPFILE '/tmp/x'",
        "SELECT * FROM orders FOR UPDATE",
        "SELECT * FROM (SELECT * FROM orders FOR UPDATE) AS o",
        "SELECT @a := 1",
        # comments that some engines execute
        "/*!50000 DROP TABLE orders */",
        "SELECT 1 /*! ; DELETE FROM orders */",
        "SELECT 1 /*!50000 UNION SELECT 2 */",
        "SELECT 1 /*M! UNION SELECT 2 */",
        "SELECT '/*' /*! , 2 */",
        # functions that no rule allows
        *("SELECT SLEEP(30)", "SELECT BENCHMARK(1000000000, SHA2('x', 512))"),
        *("SELECT LOAD_FILE('/etc/passwd')", "SELECT GET_LOCK('a', 100)", "SELECT PG_SLEEP(9)"),
        *("SELECT pg_read_file('/etc/passwd')", "SELECT load_extension('/tmp/x.so')"),
        *("SELECT writefile('/tmp/x', 'y')", "SELECT readfile('/etc/passwd')", "SELECT edit('x')"),
        *("SELECT randomblob(1000000000)", "SELECT nextval('s')", "SELECT mystery(1)"),
        "SELECT 1 WHERE EXISTS (SELECT lower(sleep(1)))",
        "SELECT count(*) FROM orders ORDER BY sleep(1)",
        "SELECT shop.sleep(1)",
        # schemas of the engine and of accounts
        *("SELECT * FROM mysql.user", "SELECT user FROM `mysql`.user"),
        *("SELECT * FROM performance_schema.threads", "SELECT * FROM other.orders"),
        "SELECT * FROM information_schema.user_privileges",
        "SELECT * FROM orders JOIN mysql.user ON true",
        "SELECT (SELECT count(*) FROM mysql.user)",
        "SELECT * FROM a.shop.orders",
        # parameters
        *("SELECT ?", "SELECT :name", "SELECT @@version"),
    ],
)
def test_refused_for_every_database(sql: str, rules: Rules) -> None:
    assert refusal(sql, rules) in ("SQL_NOT_ALLOWED", "SQL_INVALID")


@pytest.mark.parametrize(
    ("sql", "rules"),
    [
        ("DROP TABLE orders", SQLITE),
        ("SELECT * FROM orders INTO OUTFILE '/tmp/x'", MYSQL),
        ("LOCK TABLES orders WRITE", MYSQL),
        ("SHOW TABLES", SQLITE),
        ("DESCRIBE orders", SQLITE),
        ("PRAGMA table_info(orders)", MYSQL),
        *((f"PRAGMA {pragma}", SQLITE) for pragma in ("writable_schema=1", "database_list")),
        ("PRAGMA journal_mode(delete)", SQLITE),
        ("PRAGMA main.table_info(orders)", SQLITE),
        ("PRAGMA table_info", SQLITE),
        ("SELECT * FROM pragma_database_list", SQLITE),
        ("SELECT * FROM pragma_journal_mode('delete')", SQLITE),
        ("SELECT * FROM sqlite_dbpage", SQLITE),
        ("SELECT * FROM temp.orders", SQLITE),
        ("SELECT 'x' REGEXP '(x+)+$'", SQLITE),
        ("SELECT /*+ SET_VAR(max_execution_time=0) */ 1", MYSQL),
        ("SELECT * FROM orders LOCK IN SHARE MODE", MYSQL),
        ("SHOW GRANTS", MYSQL),
        ("SHOW PROCESSLIST", MYSQL),
        ("SHOW TABLES FROM mysql", MYSQL),
        ("DESCRIBE mysql.user", MYSQL),
        ("DESCRIBE ANALYZE DELETE FROM orders", MYSQL),
        ("SELECT * FROM pg_shadow", POSTGRESQL),
        ("SELECT * FROM pg_catalog.pg_shadow", POSTGRESQL),
        ("SELECT * INTO copy FROM orders", POSTGRESQL),
    ],
)
def test_not_allowed(sql: str, rules: Rules) -> None:
    # C2.2: well-formed but not allowed is a tool failure of its own, not a slip of syntax
    assert refusal(sql, rules) == "SQL_NOT_ALLOWED"


@pytest.mark.parametrize(
    "sql",
    [
        *("SELEC 1", "SELECT FROM WHERE", "SELECT (1", "SELECT 'open", "", "  ", "-- nothing"),
        *("ＳＥＬＥＣＴ 1", "SELECT 'a\x00b'", "SELECT '\ud800'", "SELECT 1 LIMIT 1 + 1"),
        "SELECT 1 LIMIT -1",
        "SELECT " + "(" * 900 + "1" + ")" * 900,
        # sqlglot makes a tree of this, but not one that it reads back alike
        "SELECT AS all IN group",
    ],
)
def test_not_sql(sql: str) -> None:
    assert refusal(sql) == "SQL_INVALID"


@pytest.mark.parametrize(
    ("sql", "rules"),
    [
        ("select count(*) from orders where note = 'drop table x; delete from y'", SQLITE),
        ("SELECT 1 WHERE '/*! not a comment */' = '-- nor this'", SQLITE),
        ("SELECT `delete`, `update` FROM `order`", SQLITE),
        ("WITH t AS (SELECT 1 AS a) SELECT * FROM t", SQLITE),
        ("SELECT 1 -- \x00 nul", SQLITE),
        ("SELECT 1;", SQLITE),
        ("SELECT * FROM sqlite_master", SQLITE),
        ("SELECT * FROM main.orders", SQLITE),
        ("SELECT * FROM pragma_table_info('orders')", SQLITE),
        ("PRAGMA table_list", SQLITE),
        ("EXPLAIN QUERY PLAN SELECT * FROM orders", SQLITE),
        ("EXPLAIN SELECT * FROM orders", MYSQL),
        *((f"SHOW {shown}", MYSQL) for shown in ("TABLES", "FULL COLUMNS FROM orders")),
        ("SHOW CREATE TABLE orders", MYSQL),
        ("DESCRIBE orders", MYSQL),
        ("SELECT * FROM information_schema.columns WHERE table_schema = 'shop'", MYSQL),
        (
            "SELECT DATE_SUB(NOW(), INTERVAL 5 MINUTE), IF(a > 1, 'x', \"y\") FROM shop.orders",
            MYSQL,
        ),
        ("SELECT a FROM orders WHERE note REGEXP '^x'", MYSQL),
        ("SELECT date_trunc('hour', a), a::text FROM orders WHERE b ILIKE '%x%'", POSTGRESQL),
    ],
)
def test_reading_is_allowed(sql: str, rules: Rules) -> None:
    read(sql, rules)


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        ("SELECT * FROM orders o JOIN refunds r ON o.id = r.id", ("orders", "refunds")),
        ("SELECT * FROM a WHERE id IN (SELECT id FROM b) UNION SELECT * FROM a", ("a", "b")),
        ("WITH t AS (SELECT * FROM orders) SELECT * FROM t", ("orders",)),
        ("SELECT value FROM json_each('[1]')", ()),
        ("PRAGMA table_info(orders)", ("orders",)),
        ("EXPLAIN SELECT * FROM orders", ("orders",)),
    ],
)
def test_tables_read_are_known(sql: str, tables: tuple[str, ...]) -> None:
    assert sorted(read(sql).tables) == sorted(tables)


@pytest.mark.parametrize(
    ("sql", "bounded"),
    [
        ("SELECT a FROM t", "SELECT a FROM t LIMIT 51"),
        ("SELECT a FROM t LIMIT 5", "SELECT a FROM t LIMIT 5"),
        ("SELECT a FROM t LIMIT 5000 OFFSET 7", "SELECT a FROM t LIMIT 51 OFFSET 7"),
        ("SELECT 1 UNION SELECT 2", "SELECT 1 UNION SELECT 2 LIMIT 51"),
        (
            "SELECT * FROM (SELECT a FROM t LIMIT 900)",
            "SELECT * FROM (SELECT a FROM t LIMIT 900) LIMIT 51",
        ),
        ("PRAGMA table_list", "PRAGMA table_list"),
        ("EXPLAIN SELECT a FROM t", "EXPLAIN SELECT a FROM t"),
    ],
)
def test_what_runs_has_a_limit(sql: str, bounded: str) -> None:
    assert read(sql).bounded(51) == bounded
