"""What every store does for its operator: old records are removed on demand, sizes are told."""

import pytest

from tests.stores.kinds import STORES, error, ready, record
from tests.stores.redis_server import RedisServer
from tools.invocations import KeptStore, StoreUnavailable
from tools.invocations.redis import RedisInvocationStore


async def test_old_records_are_removed_and_live_claims_stay(store: KeptStore) -> None:
    # C5.2, C6: by the last change or the lease, whichever is later
    for key in ("old", "young", "failed", "held"):
        await store.begin(record(key, owner=key, lease_expires_at=100.0), now=70.0)
    await store.mark_ready(ready(key="old", owner="old", finished_at=80.0))
    await store.mark_ready(ready(key="young", owner="young", finished_at=150.0))
    await store.mark_error(error(key="failed", owner="failed", finished_at=120.0))
    assert await store.prune(before=100.0) == 0
    assert await store.prune(before=140.0) == 3
    left = [await store.find(key) for key in ("old", "young", "failed", "held")]
    assert [found and found["key"] for found in left] == [None, "young", None, None]
    assert await store.prune(before=1_000.0) == 1
    assert await store.prune(before=1_000.0) == 0


async def test_what_the_records_take_grows_with_them_and_shrinks(store: KeptStore) -> None:
    text = "连接超时 " * 400
    empty = await store.size_bytes()
    for number in range(200):
        key = f"k{number}"
        await store.begin(record(key), now=70.0)
        evidence = [{"id": "e1", "source": "app.log:1", "text": text}]
        await store.mark_ready(ready(key=key, evidence=evidence))
    full = await store.size_bytes()
    kept_bytes = 200 * len(text.encode())
    assert kept_bytes * 0.8 < full - empty < kept_bytes * 3
    assert await store.prune(before=1_000.0) == 200
    assert await store.size_bytes() < full / 4


@pytest.mark.parametrize("name", ["redis", "redis-cluster"])
async def test_only_ones_own_readable_records_are_touched(
    request: pytest.FixtureRequest, name: str
) -> None:
    kind = STORES[name]
    server: RedisServer = request.getfixturevalue(str(kind.server))
    [theirs, ours] = [
        RedisInvocationStore(server.url, namespace=space, cluster=name == "redis-cluster")
        for space in ("team-1", "team-[1]*")
    ]
    await theirs.begin(record(), now=70.0)
    async with ours._clients.client() as client:
        await client.set("team-[1]*:invocation:text", "not a hash")
        await client.hset("team-[1]*:invocation:other", mapping={"schema": "0", "record": "{}"})
        await client.hset("team-[1]*:invocation:damaged", mapping={"schema": "1", "record": "{"})
        assert await ours.size_bytes() > 0
        assert await ours.prune(before=1_000.0) == 0
        for key in ("text", "other", "damaged"):
            assert await client.delete(f"team-[1]*:invocation:{key}") == 1
    assert await theirs.prune(before=1_000.0) == 1
    for store in (theirs, ours):
        await store.aclose()


async def test_a_server_that_does_not_answer_is_named(empty_redis: RedisServer) -> None:
    store = RedisInvocationStore(empty_redis.url, max_seconds=0.5)
    await store.begin(record(), now=70.0)
    with empty_redis.frozen():
        with pytest.raises(StoreUnavailable) as refused:
            await store.prune(before=1_000.0)
        assert refused.value.code == "INVOCATION_STORE_TIMEOUT"
        with pytest.raises(StoreUnavailable):
            await store.size_bytes()
    assert await store.prune(before=1_000.0) == 1
    await store.aclose()
