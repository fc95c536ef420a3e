"""An adapter has its time and no more, whatever it does with its cancellation (C5.1, C8)."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.fakes.sources import KeywordSource, found
from tests.wiring.boundary_bench import boundary, invocation
from tools import ToolResult
from tools.invocations.sqlite import SqliteInvocationStore


@pytest_asyncio.fixture
async def store() -> AsyncIterator[SqliteInvocationStore]:
    opened = SqliteInvocationStore(":memory:")
    yield opened
    await opened.aclose()


class Waiting(KeywordSource):
    """Waits for ever, and does as `told` when it is cancelled."""

    def __init__(self, told: str) -> None:
        super().__init__()
        self.entered, self.freed = asyncio.Event(), asyncio.Event()
        self.cleaned_up = False
        self._told = told

    async def search(self, request: Any) -> ToolResult:
        """Never in time."""
        self.entered.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            match self._told:
                case "clean up":
                    await asyncio.sleep(0)
                    self.cleaned_up = True
                    raise
                case "raise":
                    raise RuntimeError("secret") from None
                case "answer late":
                    return found("a line, too late")
                case "stay":
                    await self.freed.wait()
        return found()


@pytest.mark.parametrize("told", ["clean up", "raise", "answer late", "stay"])
async def test_an_adapter_that_takes_too_long_is_a_timeout(store, monkeypatch, told):
    # C5.1, C8
    monkeypatch.setattr("tools.shielded.CLEAN_UP_SECONDS", 0.01)
    tool = Waiting(told)
    outcome = await boundary(store).invoke(invocation(tool, timeout_seconds=0.01))
    assert (outcome.record["error_code"], outcome.record["retryable"]) == ("TOOL_TIMEOUT", True)
    assert outcome.record["evidence"] == []
    assert outcome.duration_ms >= 9
    assert tool.cleaned_up is (told == "clean up")
    tool.freed.set()
    await asyncio.sleep(0)


async def test_no_time_at_all_is_a_timeout(store):
    # C8: the run's time is spent
    outcome = await boundary(store).invoke(invocation(Waiting("clean up"), timeout_seconds=0))
    assert outcome.record["error_code"] == "TOOL_TIMEOUT"


async def test_a_cancelled_run_stays_cancelled_after_cleaning_up(store):
    # C5.1: only a cancellation of the adapter's own making is its failure
    tool = Waiting("clean up")
    task = asyncio.create_task(boundary(store).invoke(invocation(tool)))
    await tool.entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert tool.cleaned_up


async def test_a_search_that_is_no_coroutine_is_a_failure(store):
    # C5.1
    class Plain(KeywordSource):
        def search(self, request: Any) -> Any:
            return found("not awaited")

    outcome = await boundary(store).invoke(invocation(Plain()))
    assert (outcome.record["error_code"], outcome.record["retryable"]) == ("TOOL_FAILED", False)
