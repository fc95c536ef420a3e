"""A small shop database for the SQL tests, and how they ask it."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tools.evidence import ToolFailure, ToolResult
from tools.sql import SqlTool

SEED = """
BEGIN;
CREATE TABLE orders (order_id BIGINT PRIMARY KEY, tenant_id TEXT, status TEXT, note TEXT);
INSERT INTO orders VALUES (9007199254740993, 't_a', 'FAILED', NULL), (2, 't_a', 'DONE', ''),
  (3, 't_b', 'FAILED', 'NULL');
CREATE TABLE "order" ("select" INT, "name with space; DROP TABLE x" TEXT);
INSERT INTO "order" VALUES (1, 'a"b');
CREATE TABLE 订单 (编号 INT, 备注 TEXT);
INSERT INTO 订单 VALUES (1, '加急😀');
CREATE TABLE blobs (id INT, data BLOB);
INSERT INTO blobs VALUES (1, X'00FF10'), (2, zeroblob(2000000)), (3, X''), (4, NULL);
CREATE TABLE wide (id INTEGER PRIMARY KEY, c TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
  INSERT INTO wide SELECT i, 'row ' || i FROM n;
CREATE VIEW broken AS SELECT * FROM gone;
CREATE VIEW prying AS SELECT name FROM pragma_database_list;
CREATE VIRTUAL TABLE notes USING fts5(body);
INSERT INTO notes VALUES ('pool exhausted'), ('all well');
COMMIT;
"""


def make_database(path: Path, script: str = SEED) -> Path:
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()
    return path


async def run(tool: SqlTool, sql: str, limit: int = 50) -> ToolResult:
    request = tool.Input.model_validate({"sql": sql, "limit": limit})
    return await tool.search(tool.Input.model_validate(tool.scope(request)))


async def rows(tool: SqlTool, sql: str) -> list[dict[str, Any]]:
    return [json.loads(piece.text) for piece in (await run(tool, sql)).evidence]


async def failure(tool: SqlTool, sql: str) -> tuple[str, bool]:
    with pytest.raises(ToolFailure) as caught:
        await run(tool, sql)
    assert str(caught.value) == caught.value.code
    return caught.value.code, caught.value.retryable
