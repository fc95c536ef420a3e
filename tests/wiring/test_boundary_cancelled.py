"""A tool that is cancelled or runs out of time, whatever it makes of that (C5.1, C8)."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

import pytest
import pytest_asyncio

from tests.fakes.sources import KeywordSource, found
from tests.wiring.boundary_bench import BrokenStore, boundary, invocation
from tools import ToolResult
from tools.invocations import InvocationRecord, StoreUnavailable
from tools.invocations.sqlite import SqliteInvocationStore

PATIENCE_SECONDS = 60


@pytest_asyncio.fixture
async def store() -> AsyncIterator[SqliteInvocationStore]:
    opened = SqliteInvocationStore(":memory:")
    yield opened
    await opened.aclose()


class InThread(KeywordSource):
    """Waits in a thread, which nobody can stop, until the test lets it end."""

    def __init__(self) -> None:
        super().__init__()
        self.entered, self.gate, self.left = asyncio.Event(), threading.Event(), threading.Event()

    async def search(self, request: Any) -> ToolResult:
        """A result that comes late."""
        self.runs.append(request.model_dump())
        return await asyncio.to_thread(self._wait, asyncio.get_running_loop())

    def _wait(self, loop: asyncio.AbstractEventLoop) -> ToolResult:
        loop.call_soon_threadsafe(self.entered.set)
        self.gate.wait(PATIENCE_SECONDS)
        self.left.set()
        return found("too late")


class Stubborn(KeywordSource):
    """Swallows every cancellation until the test lets it end."""

    def __init__(self) -> None:
        super().__init__()
        self.entered, self.gate = asyncio.Event(), asyncio.Event()

    async def search(self, request: Any) -> ToolResult:
        """A result that comes late."""
        self.entered.set()
        while not self.gate.is_set():
            with suppress(asyncio.CancelledError):
                await self.gate.wait()
        return found("too late")


async def cancelled(run: asyncio.Task[Any]) -> None:
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(run, PATIENCE_SECONDS)


async def recorded(store: SqliteInvocationStore, tool: KeywordSource) -> InvocationRecord:
    key = boundary(store)._new_record(invocation(tool))["key"]
    record = await store.find(key)
    assert record is not None
    return record


@pytest.mark.parametrize("tool", [InThread, Stubborn])
async def test_a_cancelled_claim_is_given_back_and_its_late_result_dropped(
    store: SqliteInvocationStore, tool: Callable[[], Any]
) -> None:
    # C5.1: no lease is waited for afterwards; the tool runs on, and nothing comes of it
    slow = tool()
    run = asyncio.create_task(boundary(store).invoke(invocation(slow)))
    await slow.entered.wait()
    await cancelled(run)
    record = await recorded(store, slow)
    assert (record["status"], record["error_code"]) == ("ERROR", "TOOL_CANCELLED")
    again = await boundary(store).invoke(invocation(KeywordSource(), tool_call_id="c2"))
    assert (again.record["status"], again.taken_over) == ("READY", False)
    slow.gate.set()
    if isinstance(slow, InThread):
        assert await asyncio.to_thread(slow.left.wait, PATIENCE_SECONDS)
    kept = await recorded(store, slow)
    assert kept == {**again.record, "failures": 1}
    assert "too late" not in str(kept["evidence"])


@pytest.mark.parametrize("tool", [InThread, Stubborn])
async def test_a_tool_that_cannot_be_stopped_is_left_behind_in_time(
    store: SqliteInvocationStore, tool: Callable[[], Any]
) -> None:
    # C8: reported as what it is, and its late result changes nothing
    slow = tool()
    invoked = boundary(store).invoke(invocation(slow, timeout_seconds=0.05))
    outcome = await asyncio.wait_for(invoked, PATIENCE_SECONDS)
    assert (outcome.record["error_code"], outcome.record["retryable"]) == ("TOOL_TIMEOUT", True)
    slow.gate.set()
    if isinstance(slow, InThread):
        assert await asyncio.to_thread(slow.left.wait, PATIENCE_SECONDS)
    assert (await recorded(store, slow))["error_code"] == "TOOL_TIMEOUT"


@pytest.mark.parametrize("operation", ["begin", "mark_ready"])
async def test_a_claim_is_given_back_when_the_cancel_comes_inside_the_store(
    monkeypatch: pytest.MonkeyPatch, store: SqliteInvocationStore, operation: str
) -> None:
    # C5.1: the store's own thread does what it was asked, the caller is gone
    asked, tool = asyncio.Event(), KeywordSource()
    whole = getattr(SqliteInvocationStore, operation)

    async def held(self: Any, *args: Any, **fields: Any) -> Any:
        await whole(self, *args, **fields)
        asked.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(SqliteInvocationStore, operation, held)
    run = asyncio.create_task(boundary(store).invoke(invocation(tool)))
    await asked.wait()
    await cancelled(run)
    record = await recorded(store, tool)
    expected = {"begin": ("ERROR", "TOOL_CANCELLED"), "mark_ready": ("READY", None)}[operation]
    assert (record["status"], record["error_code"]) == expected


async def test_the_claim_of_another_is_left_to_it(store: SqliteInvocationStore) -> None:
    # C5.1: who is cancelled while it waits gives nothing back
    slow = InThread()
    owner = asyncio.create_task(boundary(store).invoke(invocation(slow)))
    await slow.entered.wait()
    waiting = asyncio.create_task(boundary(store).invoke(invocation(slow)))
    await asyncio.sleep(0.1)
    await cancelled(waiting)
    slow.gate.set()
    assert (await owner).record["status"] == "READY"


async def test_a_store_that_is_gone_does_not_hold_a_cancelled_run() -> None:
    # C5.1: the lease then ends by itself
    store, slow = BrokenStore(StoreUnavailable("gone"), "mark_error"), InThread()
    run = asyncio.create_task(boundary(store).invoke(invocation(slow)))
    await slow.entered.wait()
    await cancelled(run)
    slow.gate.set()
    assert (await recorded(store, slow))["status"] == "STARTED"
    await store.aclose()
