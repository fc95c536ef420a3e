"""What only the Redis store promises: keys that expire, lost replies, loops, bounds."""

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import redis

from tests.stores.kinds import error, ready, record
from tests.stores.lossy_proxy import LossyProxy
from tests.stores.redis_server import RedisServer
from tools import RedisInvocationStore
from tools.invocations import LeaseLost, StoreUnavailable
from tools.invocations.redis_faults import StoreFault


async def test_every_key_expires(empty_redis: RedisServer) -> None:
    # C5.2: shared, TTL
    store = RedisInvocationStore(empty_redis.url, ttl_seconds=1000)
    for key in ("started", "ready", "error", "again"):
        await store.begin(record(key), now=70.0)
    await store.mark_ready(ready(key="ready"))
    await store.mark_error(error(key="error"))
    await store.mark_error(error(key="again"))
    with empty_redis.admin() as admin:
        admin.persist("diagnosis:invocation:again")
        await store.begin(record("again", owner="owner-2"), now=71.0)
        keys = set(admin.keys())
        assert keys == {
            f"diagnosis:invocation:{key}".encode() for key in ("started", "ready", "error", "again")
        }
        for key in keys:
            assert 990_000 < admin.pttl(key) <= 1_000_000
    await store.aclose()


async def test_a_claim_outlasts_its_lease(empty_redis: RedisServer) -> None:
    # C5.1: a claim that expired before its lease would run twice at once
    store = RedisInvocationStore(empty_redis.url, ttl_seconds=1)
    await store.begin(record(lease_expires_at=670.0), now=70.0)
    with empty_redis.admin() as admin:
        assert 590_000 < admin.pttl("diagnosis:invocation:k1") <= 600_000
        await store.mark_ready(ready())
        assert 0 < admin.pttl("diagnosis:invocation:k1") <= 1000
    while await store.find("k1") is not None:
        pass  # C5.2: an expired record reads as absent
    await store.aclose()


async def test_text_is_kept_as_it_is(empty_redis: RedisServer) -> None:
    store = RedisInvocationStore(empty_redis.url, namespace="团队")
    await store.begin(record(), now=70.0)
    with empty_redis.admin() as admin:
        kept = admin.hgetall("团队:invocation:k1".encode())
    assert kept[b"schema"] == b"1"
    assert "超时".encode() in kept[b"record"]  # not six bytes a character
    await store.aclose()


@pytest.mark.parametrize("lost", [1, 2])
async def test_a_lost_reply_is_asked_for_again_and_applied_once(
    empty_redis: RedisServer, lost: int
) -> None:
    # C5.1: the claim is ours, the failure counts once, the result is stored once
    async with LossyProxy(empty_redis.port).listening() as proxy:
        store = RedisInvocationStore(f"redis://127.0.0.1:{proxy.port}", max_seconds=30)
        await store.find("k1")
        proxy.lose = lost
        assert (await store.begin(record(), now=70.0)).decision == "RUN"
        proxy.lose = lost
        await store.mark_error(error())
        proxy.lose = lost
        claim = await store.begin(record(owner="owner-2", lease_expires_at=100.0), now=71.0)
        assert (claim.decision, claim.record["failures"]) == ("RUN", 1)
        proxy.lose = lost
        claim = await store.begin(record(owner="owner-3", lease_expires_at=130.0), now=101.0)
        assert claim.decision == "TAKEN_OVER"
        proxy.lose = lost
        with pytest.raises(LeaseLost):
            await store.mark_ready(ready(owner="owner-2"))
        proxy.lose = lost
        await store.mark_ready(ready(owner="owner-3"))
        assert await store.find("k1") == ready(owner="owner-3", failures=1)
        assert proxy.lost == 6 * lost
        await store.aclose()


async def test_a_connection_that_is_dead_without_a_word_is_given_up_in_time(
    empty_redis: RedisServer,
) -> None:
    async with LossyProxy(empty_redis.port).listening() as proxy:
        store = RedisInvocationStore(f"redis://127.0.0.1:{proxy.port}", max_seconds=4)
        await store.find("k1")
        proxy.silent, proxy.lose = True, 1
        assert (await store.begin(record(), now=70.0)).decision == "RUN"
        assert proxy.lost == 1
        await store.aclose()


async def test_a_turn_that_never_comes_is_a_timeout(empty_redis: RedisServer) -> None:
    store = RedisInvocationStore(empty_redis.url, max_connections=1, max_seconds=0.1)
    async with store._clients.client():
        with pytest.raises(StoreUnavailable) as caught:
            await asyncio.wait_for(store.find("k1"), 30)
    assert caught.value.code == StoreFault.SLOW
    await store.aclose()


async def test_closing_needs_no_answer(
    empty_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = RedisInvocationStore(empty_redis.url)
    async with store._clients.client() as client:
        close = client.aclose

    async def close_unanswered() -> None:
        await close()
        raise redis.TimeoutError("as over TLS, where good-bye is answered")

    monkeypatch.setattr(client, "aclose", close_unanswered)
    await store.aclose()


async def test_more_tasks_than_connections_take_turns(empty_redis: RedisServer) -> None:
    store = RedisInvocationStore(empty_redis.url, max_connections=2, max_seconds=60)
    claims = await asyncio.gather(
        *(store.begin(record(owner=f"owner-{n}"), now=70.0) for n in range(100))
    )
    assert sorted(claim.decision for claim in claims) == ["RUN"] + ["WAIT"] * 99
    with empty_redis.admin() as admin:
        assert admin.info("clients")["connected_clients"] <= 3
    await store.aclose()


async def test_cancelled_operations_leave_the_store_usable(empty_redis: RedisServer) -> None:
    store = RedisInvocationStore(empty_redis.url, max_connections=2)
    await store.find("k1")
    with empty_redis.frozen():
        tasks = [asyncio.create_task(store.begin(record(f"k{n}"), now=70.0)) for n in range(10)]
        await asyncio.sleep(0.05)
        for task in tasks:
            task.cancel()
        answers = await asyncio.gather(*tasks, return_exceptions=True)
    assert {type(answer) for answer in answers} == {asyncio.CancelledError}
    assert (await store.begin(record("fresh"), now=70.0)).decision == "RUN"
    await store.aclose()


def test_a_loop_that_ends_closes_its_connections(empty_redis: RedisServer) -> None:
    store = RedisInvocationStore(empty_redis.url)
    for number in range(3):
        asyncio.run(store.begin(record(f"k{number}"), now=70.0))
    with empty_redis.admin() as admin:
        assert len(admin.client_list(_type="normal")) == 1  # ourselves
    assert len(store._clients._links) == 1  # loops that ended before are let go


def test_two_loops_at_once(empty_redis: RedisServer) -> None:
    store = RedisInvocationStore(empty_redis.url)
    both_up = threading.Barrier(2, timeout=30)
    decisions: list[str] = []

    async def claim(owner: str) -> None:
        await store.find("k1")
        await asyncio.to_thread(both_up.wait)
        decisions.append((await store.begin(record(owner=owner), now=70.0)).decision)

    threads = [threading.Thread(target=asyncio.run, args=(claim(f"o{n}"),)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(decisions) == ["RUN", "WAIT"]


def test_the_client_is_loaded_when_a_store_is_made() -> None:
    code = (
        "import sys, tools\nassert 'redis' not in sys.modules\n"
        "tools.RedisInvocationStore('redis://127.0.0.1')\nassert 'redis' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


async def test_a_url_cannot_undo_the_bounds(empty_redis: RedisServer) -> None:
    options = "socket_timeout=1000&decode_responses=yes&protocol=3&max_connections=1"
    store = RedisInvocationStore(f"{empty_redis.url}?{options}", max_seconds=0.3)
    await store.begin(record(), now=70.0)
    assert await store.find("k1") == record()
    with empty_redis.frozen(), pytest.raises(StoreUnavailable):
        await asyncio.wait_for(store.find("k1"), 30)
    await store.aclose()


async def test_records_are_spread_over_a_cluster(
    redis_cluster: RedisServer, tmp_path: Path
) -> None:
    store = RedisInvocationStore(redis_cluster.url, namespace=str(tmp_path), cluster=True)
    for number in range(40):
        await store.begin(record(f"k{number}"), now=70.0)
    with redis_cluster.admin() as admin:
        here = len(admin.keys(f"{tmp_path}:*"))
    assert 0 < here < 40
    await store.aclose()


async def test_a_cluster_is_asked_where_keys_are_before_the_first_use(
    redis_cluster: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.invocations.redis_clients._RETRIES", 0)
    for attempt in range(3):
        namespace = f"{tmp_path}:{attempt}"
        store = RedisInvocationStore(redis_cluster.url, namespace=namespace, cluster=True)
        await asyncio.gather(*(store.begin(record(f"k{n}"), now=70.0) for n in range(50)))
        await store.aclose()


async def test_a_cluster_opened_as_a_server_and_a_server_as_a_cluster(
    empty_redis: RedisServer, redis_cluster: RedisServer
) -> None:
    # a node of a cluster would serve its own share of the records and no other
    opened = [(redis_cluster.url, False, range(30)), (empty_redis.url, True, range(1))]
    for url, cluster, numbers in opened:
        store = RedisInvocationStore(url, cluster=cluster)
        answers = await asyncio.gather(
            *(store.find(f"k{number}") for number in numbers), return_exceptions=True
        )
        codes = {getattr(answer, "code", None) for answer in answers} - {None}
        assert codes == {StoreFault.WRONG_MODE}
        await store.aclose()
