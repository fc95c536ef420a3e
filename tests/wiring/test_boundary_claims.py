"""Who may run a request, for how long, and what happens when somebody dies on the way (C5.1)."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.fakes.sources import KeywordSource, found
from tests.wiring.boundary_bench import BrokenStore, Clock, boundary, invocation
from tools import ToolFailure, ToolResult
from tools.boundary import LEASE_MARGIN_SECONDS
from tools.invocations import Claim, InvocationRecord, LeaseLost, StoreUnavailable
from tools.invocations.sqlite import SqliteInvocationStore


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.boundary.POLL_SECONDS", 0)


@pytest_asyncio.fixture
async def store() -> AsyncIterator[SqliteInvocationStore]:
    opened = SqliteInvocationStore(":memory:")
    yield opened
    await opened.aclose()


class Gated(KeywordSource):
    """Waits inside its search until the test lets it go on."""

    def __init__(self, answer: Any = None) -> None:
        super().__init__()
        self.entered, self.gate = asyncio.Event(), asyncio.Event()
        self.answer = answer or found("the pool is exhausted")

    async def search(self, request: Any) -> ToolResult:
        """The answer, once the gate is open."""
        self.runs.append(request.model_dump())
        self.entered.set()
        await self.gate.wait()
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer  # type: ignore[no-any-return]


async def test_a_ready_record_is_reused_instead_of_querying_again(store):
    # C5.1: a node that is replayed after a crash
    tool = KeywordSource()
    first = await boundary(store).invoke(invocation(tool))
    again = await boundary(store).invoke(invocation(tool, tool_call_id="c2"))
    assert (again.reused, again.taken_over) == (True, False)
    assert again.record == first.record
    assert len(tool.runs) == 1


async def test_the_same_key_never_runs_twice_at_once(store):
    # C5.1: who loses waits for the record
    tool = Gated()
    edge = boundary(store)
    async with asyncio.TaskGroup() as group:
        first = group.create_task(edge.invoke(invocation(tool)))
        await tool.entered.wait()
        others = [group.create_task(edge.invoke(invocation(tool))) for _ in range(3)]
        for _ in range(20):
            await store.find("let the others reach the store")
        assert len(tool.runs) == 1
        tool.gate.set()
    assert [task.result().reused for task in (first, *others)] == [False, True, True, True]
    assert all(task.result().record == first.result().record for task in others)
    assert len(tool.runs) == 1


async def test_who_waited_for_a_failure_runs_it_itself(store):
    # C5.1: ERROR may be claimed again
    tool = Gated(ToolFailure("SOURCE_DOWN", retryable=True))
    async with asyncio.TaskGroup() as group:
        first = group.create_task(boundary(store).invoke(invocation(tool)))
        await tool.entered.wait()
        second = group.create_task(boundary(store).invoke(invocation(tool)))
        for _ in range(20):
            await store.find("let the second reach the store")
        tool.gate.set()
    assert len(tool.runs) == 2
    assert [task.result().reused for task in (first, second)] == [False, False]
    stored = await store.find(first.result().record["key"])
    assert stored is not None
    assert stored["failures"] == 2


async def test_other_runs_and_scopes_have_records_of_their_own(store):
    # C5.1: key = run, tool, canonical scope
    tool, edge = KeywordSource(), boundary(store)
    calls = [
        invocation(tool),
        invocation(tool, run_id="run-2"),
        invocation(tool, "slow"),
        invocation(KeywordSource("other")),
    ]
    keys = {(await edge.invoke(call)).record["key"] for call in calls}
    assert len(keys) == 4


def abandoned(tool: KeywordSource, clock: Clock) -> InvocationRecord:
    """A claim whose owner died: STARTED, with the lease it took."""
    return boundary(None, clock)._new_record(invocation(tool))  # type: ignore[arg-type]


async def test_a_live_lease_is_waited_for_and_then_taken_over(store):
    # C5.1: after an expired lease one claimant takes over
    tool, clock = KeywordSource(), Clock()
    dead = abandoned(tool, clock)
    await store.begin(dead, now=clock.now)
    clock.step = 0.25
    outcome = await boundary(store, clock).invoke(invocation(tool))
    assert (outcome.taken_over, outcome.reused) == (True, False)
    assert outcome.record["status"] == "READY"
    assert outcome.record["owner"] != dead["owner"]
    assert outcome.record["started_at"] >= dead["lease_expires_at"] - 1
    assert len(tool.runs) == 1
    with pytest.raises(LeaseLost):
        await store.mark_ready(dead)


class Held(SqliteInvocationStore):
    """Another owner's claim on whatever is asked."""

    claims = 0

    async def begin(self, record: InvocationRecord, *, now: float) -> Claim:
        """As in the store."""
        self.claims += 1
        return Claim("WAIT", record)


async def test_another_owners_lease_is_not_awaited_longer_than_the_run_has(store):
    # C8: what is left of the run is less than the two leases that would be waited for
    clock = Clock(step=0.5)
    started = clock.now
    call = invocation(KeywordSource(), left_seconds=4.0)
    outcome = await boundary(Held(":memory:"), clock).invoke(call)
    assert outcome.record["error_code"] == "INVOCATION_BUSY"
    assert clock.now - started <= 4 + 4


async def test_what_the_wait_took_is_not_there_for_the_query(store):
    # C8: both come from what the run has left
    tool, clock = KeywordSource(), Clock()
    await store.begin(abandoned(tool, clock), now=clock.now)
    clock.step = 0.25
    outcome = await boundary(store, clock).invoke(invocation(tool, left_seconds=9.0))
    assert outcome.taken_over
    lease_seconds = outcome.record["lease_expires_at"] - outcome.record["started_at"]
    assert LEASE_MARGIN_SECONDS <= lease_seconds <= 9 - 7 + LEASE_MARGIN_SECONDS


async def test_a_lease_that_never_ends_is_given_up(store):
    # C5.1: twice the longest lease of its own, then a code
    held, clock = Held(":memory:"), Clock(step=0.5)
    started = clock.now
    outcome = await boundary(held, clock).invoke(invocation(KeywordSource()))
    assert (outcome.record["status"], outcome.record["error_code"]) == ("ERROR", "INVOCATION_BUSY")
    assert outcome.record["retryable"] is True
    assert (outcome.reused, outcome.taken_over) == (False, False)
    assert 2 * (3 + LEASE_MARGIN_SECONDS) <= clock.now - started <= 2 * (3 + 5) + 4
    assert held.claims > 5


@pytest.mark.parametrize("operation", ["begin", "mark_ready"])
@pytest.mark.parametrize("fault", [StoreUnavailable("secret"), LeaseLost("secret")], ids=repr)
async def test_a_store_that_fails_is_a_technical_failure(operation, fault):
    # C3, C5.1: a result that could not be recorded is no fact
    store = BrokenStore(fault, operation)
    tool = KeywordSource()
    outcome = await boundary(store).invoke(invocation(tool))
    assert outcome.record["status"] == "ERROR"
    assert outcome.record["error_code"] == fault.code
    assert outcome.record["retryable"] is True
    assert outcome.record["evidence"] == []
    assert len(tool.runs) == (operation != "begin")
    await store.aclose()


async def test_a_failure_that_cannot_be_recorded_is_a_failure_of_the_store():
    # C5.1
    store = BrokenStore(StoreUnavailable("secret"), "mark_error")
    outcome = await boundary(store).invoke(invocation(KeywordSource(), "fail"))
    assert outcome.record["error_code"] == "INVOCATION_STORE_UNAVAILABLE"
    await store.aclose()


async def test_records_that_cannot_be_read_are_none(store):
    # C6: a limitation, never a fact
    edge = boundary(store)
    key = (await edge.invoke(invocation(KeywordSource()))).record["key"]
    found_now = await edge.find([key, "gone"])
    assert found_now["gone"] is None
    assert found_now[key] == await store.find(key)
    broken = BrokenStore(StoreUnavailable("secret"), "find")
    assert await boundary(broken).find([key]) == {key: None}
