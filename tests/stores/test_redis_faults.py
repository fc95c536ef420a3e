"""Each fault of a Redis server is a named error within its time, or an absent record: no fact."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
import redis

from tests.stores.kinds import error, ready, record
from tests.stores.redis_server import RedisServer, free_port, running_server
from tools.invocations import LeaseLost, StoreUnavailable
from tools.invocations.redis import RedisInvocationStore
from tools.invocations.redis_faults import StoreFault, fault_of

KEY = "diagnosis:invocation:k1"
ACTIONS: dict[str, Callable[[RedisInvocationStore], Awaitable[object]]] = {
    "begin": lambda store: store.begin(record(owner="owner-2"), now=70.0),
    "mark_ready": lambda store: store.mark_ready(ready()),
    "mark_error": lambda store: store.mark_error(error()),
    "find": lambda store: store.find("k1"),
}
WRITES = [name for name in ACTIONS if name != "find"]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    """A server of the test's own, to be broken."""
    with running_server(tmp_path) as started:
        yield started


async def fails(store: RedisInvocationStore, names: list[str], fault: StoreFault) -> None:
    """Every named operation ends in this fault, soon, and says no more than that."""
    for name in names:
        with pytest.raises(StoreUnavailable) as caught:
            await asyncio.wait_for(ACTIONS[name](store), 30)
        assert caught.value.code == fault.value
        assert str(caught.value) == f"redis invocation store: {name} failed, {fault.name}"
        assert caught.value.__cause__ is caught.value.__context__ is None


@pytest.mark.parametrize("cluster", [False, True])
async def test_nobody_listens(cluster: bool) -> None:
    store = RedisInvocationStore(f"redis://127.0.0.1:{free_port()}", cluster=cluster)
    await fails(store, list(ACTIONS), StoreFault.UNREACHABLE)
    await store.aclose()


async def test_a_name_that_does_not_resolve() -> None:
    store = RedisInvocationStore(f"redis://{'x' * 64}.invalid")
    await fails(store, ["find"], StoreFault.UNREACHABLE)
    await store.aclose()


async def test_a_server_that_dies_and_comes_back_empty(server: RedisServer) -> None:
    store = RedisInvocationStore(server.url)
    await store.begin(record(), now=70.0)
    server.kill()
    await fails(store, list(ACTIONS), StoreFault.UNREACHABLE)
    server.start()
    # restarted empty: absent, not an error and not a fact; the old claim is gone
    assert await store.find("k1") is None
    for mark in (store.mark_ready(ready()), store.mark_error(error())):
        with pytest.raises(LeaseLost):
            await mark
    assert (await store.begin(record(owner="owner-2"), now=71.0)).decision == "RUN"
    await store.aclose()


async def test_a_server_that_accepts_and_never_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        port = mute.getsockname()[1]
        store = RedisInvocationStore(f"redis://127.0.0.1:{port}", max_seconds=0.3)
        await fails(store, list(ACTIONS), StoreFault.SLOW)
        await store.aclose()


async def test_a_server_that_stops_answering_and_goes_on(server: RedisServer) -> None:
    store = RedisInvocationStore(server.url, max_seconds=0.3)
    await store.begin(record(), now=70.0)
    with server.frozen():
        await fails(store, list(ACTIONS), StoreFault.SLOW)
        await store.aclose()
    store = RedisInvocationStore(server.url)
    stored = await store.find("k1")
    assert stored is not None
    assert stored["run_id"] == "run-1"
    await store.aclose()


async def test_a_server_that_is_only_slow_is_waited_for(server: RedisServer) -> None:
    store = RedisInvocationStore(server.url, max_seconds=30)
    with server.admin() as admin:
        admin.execute_command("CLIENT", "PAUSE", 200, "ALL")
    assert (await store.begin(record(), now=70.0)).decision == "RUN"
    await store.aclose()


async def test_a_full_server_refuses_writes_and_still_reads(server: RedisServer) -> None:
    store = RedisInvocationStore(server.url)
    await store.begin(record(), now=70.0)
    await store.begin(record("k2"), now=70.0)
    await store.mark_ready(ready(key="k2"))
    with server.admin() as admin:
        admin.config_set("maxmemory-policy", "noeviction")
        admin.config_set("maxmemory", 1)
        await fails(store, ["mark_ready", "mark_error"], StoreFault.FULL)
        with pytest.raises(StoreUnavailable) as caught:
            await store.begin(record("k3"), now=70.0)
        assert caught.value.code == StoreFault.FULL
        # C5.1: what is READY is reused, and who must wait waits, without a write
        assert (await store.begin(record("k2", owner="o"), now=71.0)).record == ready(key="k2")
        assert (await store.begin(record(owner="o"), now=71.0)).decision == "WAIT"
        assert await store.find("k3") is None
        admin.config_set("maxmemory", 0)
    await store.mark_ready(ready())
    await store.aclose()


async def test_an_evicted_record_is_absent(server: RedisServer) -> None:
    store = RedisInvocationStore(server.url)
    await store.begin(record(), now=70.0)
    with server.admin() as admin:
        admin.config_set("maxmemory-policy", "allkeys-random")
        admin.config_set("maxmemory", 1)
        with pytest.raises(redis.OutOfMemoryError):
            admin.set("what makes the server evict", "x")
        admin.config_set("maxmemory", 0)
        assert admin.info("stats")["evicted_keys"] == 1
    assert await store.find("k1") is None
    with pytest.raises(LeaseLost):
        await store.mark_ready(ready())
    await store.aclose()


async def test_a_replica_refuses_writes_and_still_reads(server: RedisServer) -> None:
    store = RedisInvocationStore(server.url)
    await store.begin(record(), now=70.0)
    await store.begin(record("k2"), now=70.0)
    await store.mark_ready(ready(key="k2"))
    with server.admin() as admin:
        admin.replicaof("127.0.0.1", free_port())
        await fails(store, ["mark_ready", "mark_error"], StoreFault.READ_ONLY)
        assert await store.find("k2") == ready(key="k2")
        assert (await store.begin(record("k2", owner="o"), now=71.0)).decision == "READY"
        with pytest.raises(StoreUnavailable) as caught:
            await store.begin(record("k3"), now=71.0)
        assert caught.value.code == StoreFault.READ_ONLY
        admin.replicaof("NO", "ONE")
    await store.mark_ready(ready())
    await store.aclose()


async def test_connections_that_the_server_drops_are_replaced(server: RedisServer) -> None:
    store = RedisInvocationStore(server.url)
    await store.begin(record(), now=70.0)
    with server.admin() as admin:
        admin.client_kill_filter(_type="normal", skipme=True)
    await store.mark_ready(ready())
    assert await store.find("k1") == ready()
    await store.aclose()


@pytest.mark.parametrize(
    "user", ["", "wrong:", ":canary-7f3a", "default:canary-7f3a", "ghost:canary-7f3a"]
)
async def test_wrong_credentials(server: RedisServer, user: str) -> None:
    with server.admin() as admin:
        admin.config_set("requirepass", "right")
    at = f"{user}@" if user else ""
    store = RedisInvocationStore(f"redis://{at}127.0.0.1:{server.port}")
    await fails(store, list(ACTIONS), StoreFault.ACCESS_DENIED)
    await store.aclose()


async def test_a_user_who_may_only_read(server: RedisServer) -> None:
    with server.admin() as admin:
        admin.execute_command("ACL", "SETUSER", "reader", "on", ">pw", "~*", "+@read", "+eval")
    store = RedisInvocationStore(f"redis://reader:pw@127.0.0.1:{server.port}")
    assert await store.find("k1") is None
    await fails(store, ["begin"], StoreFault.ACCESS_DENIED)
    await store.aclose()


@pytest.mark.parametrize(
    "change",
    [
        ("HSET", KEY, "record", '{"key": "k1"'),
        ("HSET", KEY, "record", '{"key": "k2", "owner": "owner-1"}'),
        ("HSET", KEY, "record", "[]"),
        ("HSET", KEY, "record", b"\xff\xfe"),
        ("HSET", KEY, "status", "DONE"),
        ("HSET", KEY, "failures", "many"),
        ("HDEL", KEY, "record"),
        ("HDEL", KEY, "status"),
    ],
)
async def test_a_damaged_record_is_no_fact(server: RedisServer, change: tuple[str, ...]) -> None:
    store = RedisInvocationStore(server.url)
    await store.begin(record(), now=70.0)
    await store.mark_ready(ready())
    with server.admin() as admin:
        admin.execute_command(*change)
    await fails(store, ["find"], StoreFault.DAMAGED)
    await store.aclose()


async def test_a_record_of_another_version_is_refused_and_kept(server: RedisServer) -> None:
    store = RedisInvocationStore(server.url)
    await store.begin(record(), now=70.0)
    with server.admin() as admin:
        admin.hset(KEY, "schema", "2")
        before = admin.hgetall(KEY)
        await fails(store, list(ACTIONS), StoreFault.OTHER_SCHEMA)
        assert admin.hgetall(KEY) == before
    await store.aclose()


async def test_somebody_elses_key_is_refused_and_kept(server: RedisServer) -> None:
    store = RedisInvocationStore(server.url)
    with server.admin() as admin:
        admin.set(KEY, "theirs")
        await fails(store, list(ACTIONS), StoreFault.UNAVAILABLE)
        assert admin.get(KEY) == b"theirs"
        admin.delete(KEY)
        admin.hset(KEY, "theirs", "1")
        await fails(store, WRITES, StoreFault.OTHER_SCHEMA)
        assert await store.find("k1") is None
        assert admin.hgetall(KEY) == {b"theirs": b"1"}
    await store.aclose()


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("-OOM command not allowed when used memory > 'maxmemory'.", StoreFault.FULL),
        ("-READONLY You can't write against a read only replica.", StoreFault.READ_ONLY),
        ("-MISCONF Redis is configured to save RDB snapshots", StoreFault.UNAVAILABLE),
    ],
)
def test_what_redis_6_says_of_a_script(said: str, fault: StoreFault) -> None:
    text = f"Error running script (call to f_0): @user_script:12: @user_script: 12: {said}"
    assert fault_of(redis.ResponseError(text)) is fault
