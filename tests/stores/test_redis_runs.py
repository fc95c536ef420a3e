"""Whole runs over Redis: one that goes well, and one a fault of the server at its worst moment."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.bench import Bench, observations
from tests.fakes.replies import PROVED, asks, call, said
from tests.fakes.sources import Anything, KeywordSource
from tests.stores.redis_server import RedisServer, free_port, running_server
from tests.wiring.whole_runs import hold
from tools import RedisInvocationStore, ToolResult
from tools.invocations.redis_faults import StoreFault

Fault = Callable[[RedisServer], None]
PASSWORD = "canary-7f3a"


def restart_empty(server: RedisServer) -> None:
    server.kill()
    server.start()


def fill(server: RedisServer) -> None:
    with server.admin() as admin:
        admin.config_set("maxmemory", 1)


def evict(server: RedisServer) -> None:
    with server.admin() as admin:
        admin.flushall()


def make_replica(server: RedisServer) -> None:
    with server.admin() as admin:
        admin.replicaof("127.0.0.1", free_port())


def lock_out(server: RedisServer) -> None:
    with server.admin() as admin:
        admin.execute_command("ACL", "SETUSER", "team", "-@all")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    """A server of the test's own, to be broken."""
    with running_server(tmp_path) as started:
        with started.admin() as admin:
            rule = ("on", f">{PASSWORD}", "~diagnosis:*", "+@all")
            admin.execute_command("ACL", "SETUSER", "team", *rule)
        yield started


class BreakingSource(KeywordSource):
    """Finds what it is asked for, and breaks the server before its result can be kept."""

    def __init__(self, break_it: Callable[[], None]) -> None:
        super().__init__()
        self._break = break_it

    async def search(self, request: Anything) -> ToolResult:
        """The answer of the table."""
        self._break()
        return await super().search(request)


def play(server: RedisServer, **parts: Any) -> tuple[Bench, dict[str, Any]]:
    """One run over a store on the server, every invariant of a run held."""
    url = f"redis://team:{PASSWORD}@127.0.0.1:{server.port}"
    bench = Bench(store=RedisInvocationStore(url, max_seconds=1), **parts)

    async def whole() -> dict[str, Any]:
        try:
            return await bench.run()
        finally:
            await bench.store.aclose()

    state = asyncio.run(whole())
    hold(bench, state)
    for secret in (PASSWORD, "127.0.0.1"):
        assert secret not in repr((state, bench.events, bench.updates))
    return bench, state


def no_false_fact(release: dict[str, Any]) -> None:
    """Nothing concluded, nothing observed, and the user is told why."""
    assert release["conclusion"] is None
    assert release["analysis"] == release["observed_facts"] == []
    assert release["fallback"]["observed_facts"] == []
    assert release["fallback"]["limitations"]


def test_a_run_over_redis_succeeds(server: RedisServer) -> None:
    agent = [asks(call("c1", "pool")), asks(call("c2", "empty", "c1")), PROVED]
    _, state = play(server, agent=agent)
    assert state["release"]["outcome"] == "SUCCESS"
    assert len(state["release"]["observed_facts"]) == 2
    with server.admin() as admin:
        # C5.2: the records that progress names, and nothing else; each of them expires
        keys = {f"diagnosis:invocation:{key}" for key in state["progress"]["invocation_keys"]}
        assert {key.decode() for key in admin.scan_iter()} == keys
        assert all(admin.ttl(key) > 0 for key in keys)


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (RedisServer.kill, StoreFault.UNREACHABLE),
        (RedisServer.freeze, StoreFault.SLOW),
        (fill, StoreFault.FULL),
        (make_replica, StoreFault.READ_ONLY),
        (lock_out, StoreFault.ACCESS_DENIED),
        (evict, "INVOCATION_LEASE_LOST"),
    ],
)
def test_a_result_that_could_not_be_kept_is_no_fact(
    server: RedisServer, fault: Fault, code: str
) -> None:
    # C6: no READY record, no fact; a technical fault is never worded as missing evidence
    tools = [BreakingSource(lambda: fault(server))]
    _, state = play(server, tools=tools, agent=[asks(call("c1", "pool")), PROVED])
    assert observations(state)[0] == {
        "status": "ERROR",
        "tool_call_id": "c1",
        "error_code": code,
        "retryable": True,
    }
    ended = [event for event in state["trace"] if event["type"] == "TOOL_INVOCATION"]
    assert [(event["status"], event["error_code"]) for event in ended] == [("ERROR", code)]
    release = state["release"]
    assert (release["outcome"], release["error_code"]) == ("FALLBACK", None)
    assert release["fallback"]["type"] == "INSUFFICIENT_EVIDENCE"
    no_false_fact(release)


@pytest.mark.parametrize("fault", [RedisServer.kill, RedisServer.freeze, restart_empty, evict])
def test_a_fact_that_cannot_be_read_any_more_is_none(server: RedisServer, fault: Fault) -> None:
    # C6: a record that is missing, expired or unreadable becomes a limitation

    def break_and_conclude(_: Any) -> Any:
        fault(server)
        return PROVED

    _, state = play(server, agent=[asks(call("c1", "pool")), break_and_conclude])
    assert observations(state)[0]["status"] == "READY"
    release = state["release"]
    assert release["outcome"] == "FALLBACK"
    assert release["fallback"]["type"] == "INSUFFICIENT_EVIDENCE"
    no_false_fact(release)


@pytest.mark.parametrize("fault", [fill, make_replica])
def test_a_fact_that_can_still_be_read_counts(server: RedisServer, fault: Fault) -> None:
    def break_and_conclude(_: Any) -> Any:
        fault(server)
        return PROVED

    _, state = play(server, agent=[asks(call("c1", "pool")), break_and_conclude])
    assert state["release"]["outcome"] == "SUCCESS"


def test_a_store_that_was_never_there_fails_the_run_by_name(server: RedisServer) -> None:
    server.kill()
    bench, state = play(server, agent=[asks(call("c1", "pool")), said("no idea")])
    assert bench.tools[0].runs == []  # nothing runs that nobody could claim
    assert observations(state)[0]["error_code"] == StoreFault.UNREACHABLE
    assert state["release"]["outcome"] == "FAILED"
    assert state["release"]["observed_facts"] == []
