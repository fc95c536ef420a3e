"""A tool boundary on a store in memory and a clock that a test turns."""

from typing import Any

from tests.fakes.sources import KeywordSource
from tools.boundary import Invocation, ToolBoundary
from tools.invocations import Claim, InvocationRecord
from tools.invocations.sqlite import SqliteInvocationStore
from tools.requests import PreparedRequest, prepare_request

NOW = 1_800_000_000.0


class Clock:
    """Stands still, or goes on by `step` seconds with every look at it."""

    def __init__(self, step: float = 0.0) -> None:
        self.now, self.step = NOW, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


class BrokenStore(SqliteInvocationStore):
    """Raises `fault` in the operations named in `broken`; the others work."""

    def __init__(self, fault: Exception, *broken: str) -> None:
        super().__init__(":memory:")
        self._fault, self._broken = fault, broken

    def _check(self, operation: str) -> None:
        if operation in self._broken:
            raise self._fault

    async def begin(self, record: InvocationRecord, *, now: float) -> Claim:
        """As in the store, unless broken."""
        self._check("begin")
        return await super().begin(record, now=now)

    async def mark_ready(self, record: InvocationRecord) -> None:
        """As in the store, unless broken."""
        self._check("mark_ready")
        await super().mark_ready(record)

    async def mark_error(self, record: InvocationRecord) -> None:
        """As in the store, unless broken."""
        self._check("mark_error")
        await super().mark_error(record)

    async def find(self, key: str) -> InvocationRecord | None:
        """As in the store, unless broken."""
        self._check("find")
        return await super().find(key)


def invocation(tool: KeywordSource, keyword: str = "pool", **changes: Any) -> Invocation:
    """An admitted request of that tool."""
    prepared = prepare_request(tool, {"keyword": keyword})
    assert isinstance(prepared, PreparedRequest)
    fields: dict[str, Any] = {
        "run_id": "run-1",
        "run_key": f"key of {changes.get('run_id', 'run-1')}",
        "tool_call_id": "c1",
        "tool": tool,
        "prepared": prepared,
        "timeout_seconds": 3.0,
        "max_bytes": 8_192,
    }
    return Invocation(**{**fields, **changes})


def boundary(store: SqliteInvocationStore, clock: Clock | None = None) -> ToolBoundary:
    """The boundary under test."""
    return ToolBoundary(store, clock=clock or Clock())
