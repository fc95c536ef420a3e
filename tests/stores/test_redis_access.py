"""Who may use the Redis store, over what, and that neither is ever said: users, TLS, URLs."""

import re
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

import tools.invocations.redis
from tests.stores.kinds import error, ready, record
from tests.stores.redis_server import RedisServer, free_port, running_server, write_certificates
from tools import RedisInvocationStore
from tools.invocations import StoreUnavailable
from tools.invocations.redis_faults import StoreFault

CANARY = "canary-7f3a"


async def test_the_documented_user_may_do_all_that_is_needed(empty_redis: RedisServer) -> None:
    documented = re.search(r"`ACL SETUSER (.*?)`", tools.invocations.redis.__doc__ or "", re.S)
    assert documented is not None
    rule = documented[1].replace(">…", ">p@ss/wörd").split()
    with empty_redis.admin() as admin:
        admin.execute_command("ACL", "SETUSER", *rule, "+select")
    store = RedisInvocationStore(
        f"redis://diagnosis:p%40ss%2Fw%C3%B6rd@127.0.0.1:{empty_redis.port}/3"
    )
    await store.begin(record(), now=70.0)
    await store.mark_error(error())
    await store.begin(record(), now=71.0)
    await store.mark_ready(ready())
    assert await store.find("k1") == ready(failures=1)
    with empty_redis.admin() as admin:
        assert admin.keys() == []
        assert admin.info("keyspace")["db3"]["keys"] == 1
        admin.execute_command("ACL", "DELUSER", "diagnosis")
    await store.aclose()


async def test_the_documented_operator_may_prune_and_measure(empty_redis: RedisServer) -> None:
    documented = re.findall(
        r"`(ACL SETUSER|\+scan)(.*?)`", tools.invocations.redis.__doc__ or "", re.S
    )
    assert len(documented) == 2
    (_, rule), (first, more) = documented
    with empty_redis.admin() as admin:
        words = [*rule.replace(">…", ">pw").split(), first, *more.split()]
        admin.execute_command("ACL", "SETUSER", *words)
    store = RedisInvocationStore(f"redis://diagnosis:pw@127.0.0.1:{empty_redis.port}")
    await store.begin(record(), now=70.0)
    assert await store.size_bytes() > 0
    assert await store.prune(before=1_000.0) == 1
    with empty_redis.admin() as admin:
        admin.execute_command("ACL", "DELUSER", "diagnosis")
    await store.aclose()


@pytest.fixture(scope="module")
def tls_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path, RedisServer]]:
    """The TLS port, the authority's certificate, and the server."""
    folder, port = tmp_path_factory.mktemp("redis-tls"), free_port()
    authority = write_certificates(folder)
    pem = str(folder / "server.pem")
    options = ["--tls-port", str(port), "--tls-cert-file", pem, "--tls-key-file", pem]
    options += ["--tls-ca-cert-file", str(authority), "--tls-auth-clients", "no"]
    with running_server(folder, *options) as server:
        yield port, authority, server


async def test_tls_with_a_user(tls_server: tuple[int, Path, RedisServer]) -> None:
    port, authority, server = tls_server
    with server.admin() as admin:
        admin.execute_command("ACL", "SETUSER", "team", "on", ">pw", "~*", "+@all")
    store = RedisInvocationStore(f"rediss://team:pw@127.0.0.1:{port}?ssl_ca_certs={authority}")
    await store.begin(record(), now=70.0)
    await store.mark_ready(ready())
    assert await store.find("k1") == ready()
    await store.aclose()


async def test_tls_that_cannot_be_trusted(tls_server: tuple[int, Path, RedisServer]) -> None:
    port, _, _ = tls_server
    for scheme, fault in (("rediss", StoreFault.TLS_REFUSED), ("redis", StoreFault.UNREACHABLE)):
        store = RedisInvocationStore(f"{scheme}://127.0.0.1:{port}", max_seconds=30)
        with pytest.raises(StoreUnavailable) as caught:
            await store.find("k1")
        assert caught.value.code == fault
        await store.aclose()


@pytest.mark.parametrize(
    "url",
    [
        f"http://user:{CANARY}@127.0.0.1",
        f"redis://user:{CANARY}@127.0.0.1:port",
        f"redis://user:{CANARY}@127.0.0.1:70000",
        f"redis://user:{CANARY}@127.0.0.1/?no_such_option=1",
        f"redis://user:{CANARY}@127.0.0.1/?socket_timeout=soon",
        f"rediss://user:{CANARY}@127.0.0.1/?ssl_cert_reqs=maybe",
        f"{CANARY}",
        "",
    ],
)
@pytest.mark.parametrize("cluster", [False, True])
def test_a_wrong_url_is_refused_at_once_without_being_said(url: str, cluster: bool) -> None:
    with pytest.raises(ValueError, match="not a usable Redis URL") as caught:
        RedisInvocationStore(url, cluster=cluster)
    assert CANARY not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None


@pytest.mark.parametrize("option", ["ttl_seconds", "max_seconds", "max_connections"])
def test_limits_are_above_zero(option: str) -> None:
    with pytest.raises(ValueError, match=option):
        RedisInvocationStore("redis://127.0.0.1", **{option: 0})


async def test_secrets_are_in_no_text(empty_redis: RedisServer) -> None:
    # C6.4, C7: no credential, no address
    url = f"redis://{CANARY}-user:{CANARY}-password@127.0.0.1:{empty_redis.port}"
    store = RedisInvocationStore(url)
    with pytest.raises(StoreUnavailable) as caught:
        await store.find("k1")
    await store.aclose()
    said = [str(caught.value), repr(caught.value), repr(store), repr(vars(store))]
    said += [repr(vars(store._clients)), *traceback.format_exception(caught.value)]
    for secret in (CANARY, str(empty_redis.port)):
        assert secret not in "".join(said)
