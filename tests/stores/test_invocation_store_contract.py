"""One suite for every invocation store (C5.1, C5.2). A new store adds itself to `STORES`."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tools.invocations import InvocationRecord, InvocationStore, LeaseLost
from tools.sqlite_invocations import SqliteInvocationStore


@dataclass(frozen=True)
class Kind:
    """How a test opens a store on one and the same data, here and in another process."""

    open: Callable[[Path], InvocationStore]
    elsewhere: str | None = None
    """Python that makes `store` from `folder`; None for a store that one process has alone."""


STORES = {
    "sqlite": Kind(
        open=lambda folder: SqliteInvocationStore(folder / "data" / "records.sqlite"),
        elsewhere=(
            "from tools.sqlite_invocations import SqliteInvocationStore\n"
            "store = SqliteInvocationStore(folder / 'data' / 'records.sqlite')"
        ),
    ),
    "memory": Kind(open=lambda _: SqliteInvocationStore(":memory:")),
}
SHARED = [name for name, kind in STORES.items() if kind.elsewhere]


@pytest.fixture(params=STORES)
def kind(request: pytest.FixtureRequest) -> Kind:
    return STORES[request.param]


@pytest_asyncio.fixture
async def store(kind: Kind, tmp_path: Path) -> AsyncIterator[InvocationStore]:
    opened = kind.open(tmp_path)
    yield opened
    await opened.aclose()


def record(key: str = "k1", **changes: Any) -> InvocationRecord:
    fields: dict[str, Any] = {
        "key": key,
        "run_id": "run-1",
        "tool": "query_logs",
        "tool_call_id": "call-1",
        "scope": {"keyword": "超时", "limit": 20},
        "factual": True,
        "status": "STARTED",
        "evidence": [],
        "evidence_status": None,
        "relevance_level": None,
        "truncated": False,
        "total": None,
        "bytes": 0,
        "error_code": None,
        "retryable": False,
        "failures": 0,
        "owner": "owner-1",
        "lease_expires_at": 100.0,
        "started_at": 70.0,
        "finished_at": None,
    }
    return InvocationRecord(**{**fields, **changes})


def ready(**changes: Any) -> InvocationRecord:
    found = {
        "status": "READY",
        "evidence": [{"id": "e1", "source": "app.log:1", "text": "连接超时 😀 \ud800"}],
        "evidence_status": "EVIDENCE_FOUND",
        "total": 1,
        "finished_at": 80.0,
    }
    return record(**{**found, **changes})


def error(**changes: Any) -> InvocationRecord:
    return record(**{"status": "ERROR", "error_code": "LOGS_UNREADABLE", **changes})


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


def test_one_event_loop_after_the_other(kind: Kind, tmp_path: Path) -> None:
    opened = kind.open(tmp_path)

    async def claim() -> str:
        return (await opened.begin(record(), now=70.0)).decision

    async def finish() -> None:
        await opened.mark_ready(ready())

    async def close() -> None:
        await opened.aclose()

    assert asyncio.run(claim()) == "RUN"
    assert asyncio.run(claim()) == "WAIT"
    asyncio.run(finish())
    assert asyncio.run(claim()) == "READY"
    asyncio.run(close())


def test_a_loop_that_ends_in_the_middle_of_an_operation(kind: Kind, tmp_path: Path) -> None:
    opened = kind.open(tmp_path)

    async def abandon() -> None:
        task = asyncio.create_task(opened.begin(record(), now=70.0))
        await asyncio.sleep(0)
        task.cancel()

    async def claim() -> str:
        decision = (await opened.begin(record(owner="owner-2"), now=70.0)).decision
        await opened.aclose()
        return decision

    asyncio.run(abandon())
    # whether the abandoned claim took effect or not: the store answers, and nothing ran twice
    assert asyncio.run(claim()) in ("RUN", "WAIT")


async def test_closing_twice_or_unopened_is_nothing(kind: Kind, tmp_path: Path) -> None:
    opened = kind.open(tmp_path)
    await opened.aclose()
    await opened.find("k1")
    await opened.aclose()
    await opened.aclose()


@pytest.mark.parametrize("name", SHARED)
async def test_a_record_outlives_its_store(name: str, tmp_path: Path) -> None:
    first = STORES[name].open(tmp_path)
    await first.begin(record(), now=70.0)
    await first.mark_ready(ready())
    await first.aclose()
    assert await first.find("k1") == ready()  # the same store opens again
    await first.aclose()
    second = STORES[name].open(tmp_path)
    assert (await second.begin(record(owner="owner-2"), now=71.0)).decision == "READY"
    await second.aclose()


CLAIM_ALL = """
import asyncio, json, sys
from pathlib import Path
folder, owner, template = Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
{store}
async def main():
    print("up", flush=True)
    sys.stdin.readline()
    decisions = []
    for number in range(30):
        claim = {{**template, "key": f"k{{number}}", "owner": owner}}
        decisions.append((await store.begin(claim, now=float(sys.argv[4]))).decision)
    await store.aclose()
    print(json.dumps(decisions))
asyncio.run(main())
"""


def claim_in_processes(name: str, folder: Path, count: int, now: float) -> list[list[str]]:
    """What `count` processes are told that claim the same thirty keys at the same time."""
    code = CLAIM_ALL.format(store=STORES[name].elsewhere)
    template = json.dumps(record(lease_expires_at=now + 30))
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(folder), f"owner-{now}-{n}", template, str(now)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for n in range(count)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = [process.communicate(timeout=60)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * count
    return [json.loads(answer) for answer in answers]


@pytest.mark.parametrize("name", SHARED)
async def test_processes_share_one_claim(name: str, tmp_path: Path) -> None:
    # C5.1: begin is atomic between processes, from the creation of the store on
    answers = await asyncio.to_thread(claim_in_processes, name, tmp_path, 4, 70.0)
    for decisions in zip(*answers, strict=True):
        assert sorted(decisions) == ["RUN", "WAIT", "WAIT", "WAIT"]
    # the winners are gone; their leases expire and each is taken over once
    answers = await asyncio.to_thread(claim_in_processes, name, tmp_path, 3, 101.0)
    for decisions in zip(*answers, strict=True):
        assert sorted(decisions) == ["TAKEN_OVER", "WAIT", "WAIT"]


@pytest.mark.parametrize("name", SHARED)
def test_a_process_may_exit_without_closing(name: str, tmp_path: Path) -> None:
    code = (
        "import asyncio, json, sys\nfrom pathlib import Path\nfolder = Path(sys.argv[1])\n"
        f"{STORES[name].elsewhere}\nasyncio.run(store.find('k1'))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], timeout=60, check=False)
    assert done.returncode == 0
