"""The rules agent on a database: rows of an id, what failed, changes before it, validity."""

import pytest

from tests.offline_rules.conversation import ROWS, Conversation, function, row

SINCE = "The payment of order 20771 (tenant t_blue) fails since 2031-05-02 10:00 UTC. Why?"
FAILED = row(
    "payments, orders",
    payment_id=7,
    order_id=20771,
    status="FAILED",
    error_code="TOTAL_DIFFERS",
    error_message="total of engine_v3 differs",
    created_at="2031-05-02 10:03:10",
)


def test_the_rows_of_an_id_are_bounded_in_time() -> None:
    sql = Conversation("Why was the payment of order 20771 declined on 2031-05-02?", ROWS).asked[
        "sql"
    ]
    assert "FROM payments WHERE order_id = '20771'" in sql
    assert "created_at <= '2031-05-03 00:00:00' ORDER BY created_at DESC" in sql


def test_the_change_that_failures_name_is_the_cause() -> None:
    talk = Conversation(SINCE, ROWS)
    talk.answer(FAILED)
    assert "flag_audit" in talk.asked["sql"]
    assert "changed_at <= '2031-05-02 10:03:10'" in talk.asked["sql"]
    audit = {"id": 5, "tenant_id": "t_blue", "flag_key": "engine_v3", "new_value": 1}
    talk.answer(row("flag_audit", **audit, changed_at="2031-05-02 10:02:11", changed_by="bot"))
    assert "flag_key=engine_v3" in talk.draft["conclusion"]
    assert "TOTAL_DIFFERS" in talk.draft["conclusion"]


@pytest.mark.parametrize(
    ("key", "time"),
    [
        ("new_pdf", "2031-05-02 04:00:00"),
        ("engine_v3", "2031-04-20 10:00:00"),
        ("engine_v3", "2031-05-02 11:00:00"),
    ],
    ids=["untied", "long before", "after"],
)
def test_another_change_is_not_the_cause(key: str, time: str) -> None:
    talk = Conversation(SINCE, ROWS)
    talk.answer(FAILED)
    audit = {"id": 4, "tenant_id": "t_blue", "flag_key": key, "new_value": 1}
    talk.answer(row("flag_audit", **audit, changed_at=time, changed_by="ann"))
    while talk.said.tool_calls:
        talk.answer()
    assert f"flag_key={key}" not in str(talk.draft["conclusion"])


def test_what_had_run_out_at_the_time_is_the_cause() -> None:
    tables = "Tables: seats(tenant_id, valid_from, valid_until), logins(tenant_id, error, seen_at)."
    talk = Conversation(
        "tenant t_blue cannot log on since 2031-05-02 10:00 UTC", function("q", tables, ("sql",))
    )
    failed = {"tenant_id": "t_blue", "error": "seats of t_blue refused"}
    spans = {"valid_from": "2031-01-01 00:00:00", "valid_until": "2031-04-30 23:59:59"}
    talk.answer(row("logins", **failed, seen_at="2031-05-02 10:03:10"))
    assert "FROM seats WHERE tenant_id = 't_blue'" in talk.asked["sql"]
    talk.answer(row("seats", tenant_id="t_blue", **spans))
    assert "valid_until=2031-04-30" in talk.draft["conclusion"]
    assert "seats of t_blue refused" in talk.draft["conclusion"]


def test_an_explicit_reason_in_the_row_asked_about_is_the_cause() -> None:
    talk = Conversation("Why was the payment of order 20771 declined?", ROWS)
    talk.answer(row("payments", order_id=20771, status="FAILED", error_message="card expired"))
    while talk.said.tool_calls:
        talk.answer()
    assert "error_message=card expired" in talk.draft["conclusion"]


def test_a_value_is_quoted_into_sql_as_a_literal() -> None:
    tables = "Tables: jobs(job_id, status, last_error)."
    talk = Conversation("job x_12'; DROP is stuck on 2031-05-02", function("q", tables, ("sql",)))
    assert "DROP" not in talk.asked["sql"]
    assert talk.asked["sql"].count("'") == 2
