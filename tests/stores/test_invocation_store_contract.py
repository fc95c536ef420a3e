"""One suite for every invocation store (C5.1, C5.2). A new store adds itself to `kinds.STORES`."""

import asyncio

import pytest

from tests.stores.kinds import error, ready, record
from tools.invocations import InvocationStore, LeaseLost


async def test_a_new_key_runs_and_reads_back_whole(store: InvocationStore) -> None:
    claim = await store.begin(record(), now=70.0)
    assert claim.decision == "RUN"
    assert claim.record == record()
    assert await store.find("k1") == record()
    assert await store.find("other") is None


async def test_fifty_at_once_run_once(store: InvocationStore) -> None:
    # C5.1: the same key never runs twice at once
    claims = await asyncio.gather(
        *(store.begin(record(owner=f"owner-{n}"), now=70.0) for n in range(50))
    )
    winners = [claim for claim in claims if claim.decision == "RUN"]
    assert len(winners) == 1
    assert {claim.decision for claim in claims} == {"RUN", "WAIT"}
    assert {claim.record["owner"] for claim in claims} == {winners[0].record["owner"]}


async def test_a_ready_record_is_reused_and_never_changed(store: InvocationStore) -> None:
    # C5.1: a replayed node reuses a READY record instead of querying again
    await store.begin(record(), now=70.0)
    await store.mark_ready(ready())
    again = await store.begin(record(owner="owner-2"), now=9_999.0)
    assert again.decision == "READY"
    assert again.record == ready()
    for mark in (store.mark_ready, store.mark_error):
        with pytest.raises(LeaseLost):
            await mark(ready(evidence=[]))
        with pytest.raises(LeaseLost):
            await mark(ready(owner="owner-2", evidence=[]))
    assert await store.find("k1") == ready()


async def test_an_error_may_be_claimed_again_and_failures_add_up(store: InvocationStore) -> None:
    # C5.1: ERROR may be claimed again; C3: its second failure is counted as the second
    await store.begin(record(), now=70.0)
    await store.mark_error(error())
    stored = await store.find("k1")
    assert stored is not None
    assert (stored["status"], stored["error_code"]) == ("ERROR", "LOGS_UNREADABLE")
    assert stored["failures"] == 1

    claim = await store.begin(record(owner="owner-2", tool_call_id="call-2"), now=71.0)
    assert claim.decision == "RUN"
    assert claim.record["tool_call_id"] == "call-2"
    assert (claim.record["status"], claim.record["failures"]) == ("STARTED", 1)
    # the count is the store's, whatever the record that comes in says
    await store.mark_error(error(owner="owner-2", failures=0))
    claim = await store.begin(record(owner="owner-3"), now=72.0)
    assert claim.record["failures"] == 2
    await store.mark_ready(ready(owner="owner-3", failures=0))
    assert await store.find("k1") == ready(owner="owner-3", failures=2)


async def test_who_loses_an_error_race_waits(store: InvocationStore) -> None:
    await store.begin(record(), now=70.0)
    await store.mark_error(error())
    claims = await asyncio.gather(
        *(store.begin(record(owner=f"owner-{n}"), now=71.0) for n in range(10))
    )
    assert sorted(claim.decision for claim in claims) == ["RUN"] + ["WAIT"] * 9


async def test_a_live_lease_is_waited_for_until_its_last_moment(store: InvocationStore) -> None:
    await store.begin(record(lease_expires_at=100.0), now=70.0)
    claim = await store.begin(record(owner="owner-2"), now=99.999)
    assert claim.decision == "WAIT"
    assert claim.record["owner"] == "owner-1"
    expired = await store.begin(record(owner="owner-2", lease_expires_at=130.0), now=100.0)
    assert expired.decision == "TAKEN_OVER"


async def test_an_expired_lease_is_taken_over_once(store: InvocationStore) -> None:
    # C5.1: after an expired lease one claimant takes over
    await store.begin(record(owner="gone"), now=70.0)
    claims = await asyncio.gather(
        *(
            store.begin(record(owner=f"owner-{n}", lease_expires_at=131.0), now=101.0)
            for n in range(20)
        )
    )
    assert sorted(claim.decision for claim in claims) == ["TAKEN_OVER"] + ["WAIT"] * 19


async def test_a_late_result_of_a_lost_lease_is_dropped(store: InvocationStore) -> None:
    await store.begin(record(owner="slow"), now=70.0)
    await store.begin(record(owner="heir", lease_expires_at=131.0), now=101.0)
    for late in (store.mark_ready(ready(owner="slow")), store.mark_error(error(owner="slow"))):
        with pytest.raises(LeaseLost):
            await late
    stored = await store.find("k1")
    assert stored is not None
    assert (stored["status"], stored["owner"]) == ("STARTED", "heir")
    await store.mark_ready(ready(owner="heir"))


async def test_an_expired_lease_nobody_took_may_still_finish(store: InvocationStore) -> None:
    await store.begin(record(lease_expires_at=71.0), now=70.0)
    await store.mark_ready(ready(finished_at=500.0))
    assert await store.find("k1") == ready(finished_at=500.0)


async def test_a_mark_without_a_claim_is_refused(store: InvocationStore) -> None:
    with pytest.raises(LeaseLost):
        await store.mark_ready(ready())
    assert await store.find("k1") is None


async def test_an_error_is_marked_once_a_claim(store: InvocationStore) -> None:
    await store.begin(record(), now=70.0)
    await store.mark_error(error())
    with pytest.raises(LeaseLost):
        await store.mark_error(error())
    stored = await store.find("k1")
    assert stored is not None
    assert stored["failures"] == 1


async def test_runs_do_not_see_each_other(store: InvocationStore) -> None:
    # the key holds the run (C5.1), so another run's same scope is another record
    first = await store.begin(record("key-run-1", run_id="run-1"), now=70.0)
    second = await store.begin(record("key-run-2", run_id="run-2"), now=70.0)
    assert (first.decision, second.decision) == ("RUN", "RUN")
    await store.mark_ready(ready(key="key-run-1", run_id="run-1"))
    stored = await store.find("key-run-2")
    assert stored is not None
    assert (stored["run_id"], stored["status"]) == ("run-2", "STARTED")


async def test_what_goes_in_is_copied(store: InvocationStore) -> None:
    given = record()
    claim = await store.begin(given, now=70.0)
    given["owner"] = "changed"
    claim.record["owner"] = "changed"
    stored = await store.find("k1")
    assert stored is not None
    assert stored["owner"] == "owner-1"
