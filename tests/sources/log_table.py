"""A log table in a real database, made by a test, and how the test asks it."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.pool import NullPool

from tools.evidence import ToolResult
from tools.logs import LogColumns, LogsQuery, LogTableTool

COLUMNS = LogColumns(table="app_logs", time="at", level="severity", service="svc", message="msg")


def make_table(url: str, time_type: str, rows: list[tuple[Any, ...]], *, key: bool = True) -> None:
    """The table `app_logs` with these rows of time, level, service, message."""
    driven = url.replace("postgresql:", "postgresql+psycopg:").replace("mysql:", "mysql+pymysql:")
    engine = sa.create_engine(driven, poolclass=NullPool)
    number = "id INTEGER PRIMARY KEY, " if key else "id INTEGER, "
    with engine.begin() as connection:
        if engine.dialect.name == "mysql":
            connection.exec_driver_sql("SET time_zone = '+00:00'")
        connection.exec_driver_sql(
            f"CREATE TABLE app_logs ({number}at {time_type}, severity VARCHAR(20), "
            "svc VARCHAR(80), msg TEXT)"
        )
        values = [
            dict(zip(("id", "at", "severity", "svc", "msg"), (n, *row), strict=True))
            for n, row in enumerate(rows, start=1)
        ]
        if values:
            connection.execute(
                sa.text("INSERT INTO app_logs VALUES (:id, :at, :severity, :svc, :msg)"), values
            )


async def ask(tool: LogTableTool, **question: Any) -> ToolResult:
    """Through the canonical scope, as the boundary does."""
    scope = tool.scope(LogsQuery.model_validate(question))
    return await tool.search(LogsQuery.model_validate(scope))
