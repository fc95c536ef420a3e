"""A folder of log files written by a test, and how the test asks it."""

from datetime import datetime
from pathlib import Path
from typing import Any

from tools.evidence import Evidence, ToolResult
from tools.logs import LogsQuery, LogsTool
from tools.logs.summary import SOURCE


class LogFolder:
    """Files by relative name; questions go through the canonical scope, as the boundary's do."""

    def __init__(self, root: Path, **options: Any) -> None:
        self.root = root
        self.tool = LogsTool(root, **options)

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(data)
        return path

    async def ask(self, **question: Any) -> ToolResult:
        scope = self.tool.scope(LogsQuery.model_validate(question))
        return await self.tool.search(LogsQuery.model_validate(scope))

    async def texts(self, **question: Any) -> list[str]:
        return [item.text for item in events(await self.ask(**question))]

    async def sources(self, **question: Any) -> list[str]:
        return [item.source for item in events(await self.ask(**question))]

    async def instants(self, name: str) -> list[datetime | None]:
        """What the index holds as the times of a file's events, in line order."""
        await self.ask(service=name)
        rows = self.tool._index.connection.execute(
            "SELECT instant FROM lines JOIN files USING (file_id) "
            "WHERE head AND path = ? ORDER BY line_no",
            [name],
        ).fetchall()
        return [instant for (instant,) in rows]


def events(result: ToolResult) -> list[Evidence]:
    """The result's matches: its evidence without the summary and what stands near a match."""
    return [e for e in result.evidence if e.source != SOURCE and not e.source.endswith(")")]


def summary_of(result: ToolResult) -> str:
    """The summary's text, which stands first, or ''."""
    first = result.evidence[0] if result.evidence else None
    return first.text if first and first.source == SOURCE else ""
