"""Every kind of source behind the boundary: what it answers is recorded masked (C5.1, C5.2)."""

from pathlib import Path
from typing import Any

from langchain_core.tools import tool as langchain_tool

from tests.sources.sql_database import make_database
from tools import EvidenceTool, SqliteInvocationStore, as_evidence_tool
from tools.boundary import Invocation, ToolBoundary
from tools.invocations import InvocationRecord
from tools.knowledge import KnowledgeTool
from tools.logs import LogsTool
from tools.requests import PreparedRequest, prepare_request
from tools.sql import SqlTool

LOG = """\
2025-03-04T10:00:00Z ERROR login failed password=hunter2-synthetic order_id=110101199003071234567
2025-03-04T10:00:01Z ERROR card=4111 1111 1111 1111 sha=da39a3ee5e6b4b0d3255bfef95601890afd80709
2025-03-04T10:00:02Z INFO -----BEGIN PRIVATE KEY-----
MIIsynthetic000000000000
-----END PRIVATE KEY-----
"""
ROWS = """
CREATE TABLE users (id INT, password TEXT, token TEXT, phone TEXT, note TEXT);
INSERT INTO users VALUES (1, 'hunter2-synthetic', 'tok-synthetic-1', '13800138000', 'NULL'),
  (2, NULL, '', '13800138000', 'mail test.user@example.com');
"""
DOCUMENT = (
    "# Login\n\nThe pool login uses `mysql://app:hunter2-synthetic@db/shop`, ask ops@example.com."
)


async def recorded(tool: EvidenceTool[Any], **values: Any) -> InvocationRecord:
    prepared = prepare_request(tool, values)
    assert isinstance(prepared, PreparedRequest)
    store = SqliteInvocationStore(":memory:")
    call = Invocation(
        run_id="run-1",
        run_key="key of run-1",
        tool_call_id="c1",
        tool=tool,
        prepared=prepared,
        timeout_seconds=20.0,
        max_bytes=8_192,
    )
    try:
        record = (await ToolBoundary(store).invoke(call)).record
        assert record["status"] == "READY", record["error_code"]
        assert await store.find(record["key"]) == record
    finally:
        await store.aclose()
    assert record["evidence"]
    return record


async def test_logs(tmp_path: Path) -> None:
    (tmp_path / "app.log").write_text(LOG)
    record = await recorded(LogsTool(tmp_path), service="app")
    assert not [s for s in ("hunter2", "4111", "MIIsynth") if s in str(record)]
    for kept in ("110101199003071234567", "da39a3ee5e6b4b0d3255bfef95601890afd80709", "10:00:02"):
        assert kept in str(record)
    for second in range(3):  # each line is still found by its time
        at = f"2025-03-04T10:00:0{second}Z"
        found = await recorded(LogsTool(tmp_path), start=at, end=at)
        assert [at in item["text"] for item in found["evidence"]] == [True]


async def test_rows(tmp_path: Path) -> None:
    # by the names of columns, and in texts; NULL, '' and 'NULL' stay three things
    tool = SqlTool(f"sqlite:///{make_database(tmp_path / 'shop.sqlite', ROWS)}")
    record = await recorded(tool, sql="SELECT * FROM users WHERE phone = '13800138000'")
    assert not [s for s in ("hunter2", "tok-synth", "138001", "test.user") if s in str(record)]
    first, second = (item["text"] for item in record["evidence"])
    assert '"note": "NULL"' in first
    assert '"password": null, "token": ""' in second
    assert "‹phone:" in record["scope"]["sql"]


async def test_documents(tmp_path: Path) -> None:
    (tmp_path / "login.md").write_text(DOCUMENT)
    record = await recorded(KnowledgeTool(tmp_path), query="pool login")
    assert not [s for s in ("hunter2", "ops@") if s in str(record)]
    assert "mysql://app:‹password:" in str(record)


async def test_plugged_in_tools() -> None:
    @langchain_tool
    def find_tickets(api_key: str, words: str) -> str:
        """Finds tickets."""
        return f"ticket 7: {words}, called with api_key={api_key}"

    record = await recorded(
        as_evidence_tool(find_tickets), api_key="synthetic-1", words="+8613800138000"
    )
    assert not [s for s in ("synthetic-1", "13800138000") if s in str(record)]
    assert record["evidence"][0]["text"].startswith("ticket 7: ‹phone:")
