"""The canonical form of a statement (C5.3): one spelling for what the engine takes as one query."""

import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.evidence import ToolFailure
from tools.sql.rules import Rules
from tools.sql.statement import read_statement

SQLITE = Rules("sqlite", frozenset({"main"}))
MYSQL = Rules("mysql", frozenset({"shop"}))
POSTGRESQL = Rules("postgresql", frozenset({"public"}))


def canonical(sql: str, rules: Rules = SQLITE) -> str:
    return read_statement(sql, rules).sql


@pytest.mark.parametrize(
    ("rules", "spellings"),
    [
        (
            SQLITE,
            [
                "SELECT status, COUNT(*) FROM orders WHERE status <> 'Failed' GROUP BY 1",
                "select status,count( * )\n\tfrom orders where status!='Failed' group by 1;",
                'SELECT /* why */ `status`, count(*) FROM "orders" -- so\n'
                "WHERE [status] <> 'Failed' GROUP BY 1",
                "SELECT Status, COUNT(*) FROM ORDERS WHERE STATUS <> 'Failed' GROUP BY 1",
            ],
        ),
        (SQLITE, ["PRAGMA table_info(orders)", "pragma TABLE_INFO = 'Orders'"]),
        (SQLITE, ["SELECT 编号 FROM 订单", 'SELECT "编号" FROM `订单`']),
        (
            MYSQL,
            ["SELECT a FROM t WHERE b = 'it''s'", 'select `a` from `t` where b = "it\'s" # so'],
        ),
        (
            POSTGRESQL,
            [
                "SELECT a FROM t WHERE b::text = 'x'",
                "select A from \"t\" where CAST(b AS text) = 'x'",
            ],
        ),
    ],
)
def test_one_query_one_form(rules: Rules, spellings: list[str]) -> None:
    assert len({canonical(sql, rules) for sql in spellings}) == 1


@pytest.mark.parametrize(
    ("rules", "one", "other"),
    [
        (SQLITE, "SELECT 'Failed'", "SELECT 'failed'"),
        (SQLITE, "SELECT 'a  b'", "SELECT 'a b'"),
        (SQLITE, "SELECT 'é'", "SELECT 'e\u0301'"),  # a literal is not normalised
        (SQLITE, "SELECT 'x '", "SELECT 'x'"),
        (SQLITE, "SELECT 1.0", "SELECT 1"),
        (SQLITE, "SELECT x'31'", "SELECT '1'"),
        (SQLITE, "SELECT a FROM t ORDER BY a", "SELECT a FROM t ORDER BY a DESC"),
        (SQLITE, 'SELECT "É" FROM t', 'SELECT "é" FROM t'),  # SQLite folds ASCII only
        (MYSQL, "SELECT a FROM Orders", "SELECT a FROM orders"),  # files on some systems
        (POSTGRESQL, 'SELECT "A" FROM t', "SELECT A FROM t"),
    ],
)
def test_what_the_engine_tells_apart_stays_apart(rules: Rules, one: str, other: str) -> None:
    assert canonical(one, rules) != canonical(other, rules)


SCHEMA = """
CREATE TABLE orders (id INTEGER PRIMARY KEY, tenant TEXT, status TEXT, amount DECIMAL(12, 2),
                     note TEXT, data TEXT, created_at DATETIME);
INSERT INTO orders VALUES
  (1, 't_a', 'FAILED', 10.5, NULL, '{"a":[1,2],"b.c":{"d":"x"}}', '2025-03-04 10:00:00'),
  (2, 't_a', 'DONE', 20, '', '{"a":[]}', '2025-03-04 11:30:00'),
  (3, 't_b', 'FAILED', 0.1, 'it''s 50% _off_', NULL, '2025-03-05 00:00:00');
CREATE TABLE refunds (id INTEGER PRIMARY KEY, order_id INT, status TEXT);
INSERT INTO refunds VALUES (7, 1, 'REJECTED'), (8, 3, 'DONE');
CREATE TABLE "order" ("select" INT, "weird ""quoted"" col" TEXT, "名称" TEXT);
INSERT INTO "order" VALUES (1, 'q', '甲');
"""

QUERIES = [
    "select 1 + 2 * 3, 7 / 2, 7 % 3, -5, - -1, 1e3, 0.10, 1., 0x1F, X'00ff', 9223372036854775807",
    r"select 'it''s', 'b\s', '', '😀', 'a" "\nb', 'a' || 'b' || 1",
    "select count(*), count(distinct tenant), sum(amount), avg(amount), total(amount) from orders",
    "select tenant, group_concat(distinct status), max(created_at) from orders group by tenant",
    "select strftime('%Y-%m', created_at), date(created_at, '-1 day') from orders",
    "select time(created_at), datetime(created_at, '+1 hour', 'start of day') from orders",
    "select julianday(created_at) - julianday('2025-01-01'), unixepoch(created_at) from orders",
    "select cast(amount as int), cast(1 as decimal), cast('2025-03-04' as date) from orders",
    "select cast(5 as varchar(9)), cast(1 as real), cast('7x' as numeric), cast(1 as boolean)",
    "select max(1, 2), min(3, 4), iif(1, 2, 3), ifnull(null, 2), nullif(1, 1), coalesce(null, 3)",
    "select substr('hello', 2, 3), instr('abc', 'b'), replace('aXb', 'X', '-'), trim('xxaxx', 'x'),"
    " hex('a'), typeof(1.0), printf('%05.2f', 3.14159), round(2.567, 1), char(65, 66)",
    "select * from orders o left join refunds r on r.order_id = o.id where o.status = 'FAILED'",
    "select o.id, r.id from orders o, refunds r where o.id = r.order_id",
    "select * from orders natural join refunds",
    "select distinct status from orders order by status desc",
    "select status s, count(*) n from orders group by s having n > 1 order by 2 desc",
    "select case status when 'DONE' then 1 else 0 end, case when amount > 5 then 'x' end"
    " from orders",
    "with t as (select tenant, count(*) n from orders group by 1) select * from t where n > 1",
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 5) select * from n",
    "with v(x, y) as (values (1, 2), (3, 4)) select x + y from v",
    "select 1 union select 2 union all select 3 order by 1 desc",
    "select 1 union select 2 except select 2 intersect select 1",
    "select id, row_number() over (partition by tenant order by created_at desc) rn from orders",
    "select sum(amount) over (order by id rows between 1 preceding and current row) from orders",
    "select count(*) filter (where status = 'FAILED') from orders",
    r"select * from orders where note like '%\_off%' escape '\' or tenant glob 't_[a]'",
    "select * from orders where not status in ('A', 'B') and amount between 1 and 20"
    " and note is not null",
    'select "id", `status`, [amount] from "orders"',
    'select "select", "weird ""quoted"" col", 名称 from "order"',
    "select data -> 'a', data ->> '$.a[0]', data -> 'b.c' ->> 'd', json_extract(data, '$.a')"
    " from orders",
    "select o.id, j.value from orders o, json_each(o.data, '$.a') j",
    "select * from (select * from orders order by amount desc limit 2) order by amount",
    "select id from orders o where exists (select 1 from refunds r where r.order_id = o.id)",
    "select (select max(amount) from orders), 1 in (1, 2), not 1, ~5, 5 & 3, 5 | 3, 1 << 3",
    "select 1 == 1, 1 <> 2, 3 is 3, 3 is not 4, 1 isnull, 1 notnull, true, false, null",
    "select * from orders order by id limit 1 offset 1",
    "select * from orders order by id limit 1, 1",
    "select rowid, orders.* from orders",
    "select count(*) as '合计 总' from orders",
    "select name from sqlite_master where type = 'table' order by name",
    "select name, type from pragma_table_info('orders')",
    "select * from orders where (tenant, status) in (values ('t_a', 'DONE'))",
    "select status from orders order by status collate nocase, id",
    "select sum(case when status = 'FAILED' then 1 else 0 end) * 100.0 / count(*) pct from orders",
]


@pytest.fixture(scope="module")
def database() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    yield connection
    connection.close()


@pytest.mark.parametrize("sql", QUERIES)
def test_the_canonical_form_means_the_same(sql: str, database: sqlite3.Connection) -> None:
    expected = database.execute(sql).fetchall()
    statement = read_statement(sql, SQLITE)
    assert database.execute(statement.sql).fetchall() == expected
    assert database.execute(statement.bounded(1_000)).fetchall() == expected
    assert canonical(statement.sql) == statement.sql


RESERVED = (
    "all case check current_date default desc div from group if nothing order returning row true"
)


@pytest.mark.parametrize("name", [*RESERVED.split(), "a b", "a`b", "1st", "x-y", "名 称"])
def test_names_that_need_their_quotes_keep_them(name: str) -> None:
    column = '"' + name + '"'
    with sqlite3.connect(":memory:") as connection:
        connection.execute(f"CREATE TABLE {column} ({column})")
        connection.execute(f"INSERT INTO {column} VALUES (5)")
        sql = f"SELECT t.{column} AS {column} FROM {column} AS t WHERE {column} = 5"
        assert connection.execute(canonical(sql)).fetchall() == [(5,)]
    connection.close()


def test_a_misspelt_name_is_never_read_as_a_text(database: sqlite3.Connection) -> None:
    # SQLite takes "tenent" for the text 'tenent': no rows, where the question was never asked
    misspelt = "select * from orders where \"tenent\" = 't_a'"
    assert database.execute(misspelt).fetchall() == []
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        database.execute(canonical(misspelt))


WORDS = """
    select from where ( ) , ; * 'a' "x" `y` [z] 1 2.5 0x1F X'00' -- /* */ /*! := @a ? . || -> = and
    or not in is null like between exists case when then else end cast as int with union all join on
    using group order by limit offset over values explain pragma table_info delete insert into for
    update set show sum count date interval 订单 😀 distinct filter current_date
"""


@settings(deadline=None)
@given(
    words=st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=20),
    rules=st.sampled_from([SQLITE, MYSQL, POSTGRESQL]),
)
def test_any_text_is_refused_by_a_code_or_has_a_stable_form(words: list[str], rules: Rules) -> None:
    try:
        form = canonical("select " + " ".join(words), rules)
    except ToolFailure:
        return
    assert canonical(form, rules) == form
