"""The kinds of invocation store, how a test opens each, and the records the tests put into them."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.invocations import InvocationRecord, InvocationStore
from tools.invocations.memory import MemoryInvocationStore
from tools.invocations.redis import RedisInvocationStore
from tools.invocations.sqlite import SqliteInvocationStore


@dataclass(frozen=True)
class Kind:
    """How a test opens a store on one and the same data, here and in another process."""

    open: Callable[[Path], InvocationStore]
    elsewhere: str | None = None
    """Python that makes `store` from `folder`; None for a store that one process has alone."""
    server: str | None = None
    """The fixture that starts what the store needs."""


def redis_kind(address: str, *, server: str, cluster: bool) -> Kind:
    """A store on the server whose URL stands in the variable `address`; one namespace a folder."""
    return Kind(
        open=lambda folder: RedisInvocationStore(
            os.environ[address], namespace=str(folder), cluster=cluster
        ),
        elsewhere=(
            "import os\nfrom tools.invocations.redis import RedisInvocationStore\n"
            f"url = os.environ['{address}']\n"
            f"store = RedisInvocationStore(url, namespace=str(folder), cluster={cluster})"
        ),
        server=server,
    )


STORES = {
    "sqlite": Kind(
        open=lambda folder: SqliteInvocationStore(folder / "data" / "records.sqlite"),
        elsewhere=(
            "from tools.invocations.sqlite import SqliteInvocationStore\n"
            "store = SqliteInvocationStore(folder / 'data' / 'records.sqlite')"
        ),
    ),
    "sqlite-in-memory": Kind(open=lambda _: SqliteInvocationStore(":memory:")),
    "memory": Kind(open=lambda _: MemoryInvocationStore()),
    "redis": redis_kind("TEST_REDIS_URL", server="redis_server", cluster=False),
    "redis-cluster": redis_kind("TEST_REDIS_CLUSTER_URL", server="redis_cluster", cluster=True),
}
SHARED = [name for name, kind in STORES.items() if kind.elsewhere]


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
