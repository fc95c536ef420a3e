"""Every kind of store for the tests that hold for all, and the servers that they share.

A server is started when a test first wants it.
"""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.stores.kinds import SHARED, STORES, Kind
from tests.stores.redis_server import RedisServer, running_cluster, running_server
from tools.invocations import InvocationStore


@pytest.fixture(params=STORES)
def kind(request: pytest.FixtureRequest) -> Kind:
    """Every kind in turn, its server up."""
    return _served(request)


@pytest.fixture(params=SHARED)
def shared(request: pytest.FixtureRequest) -> Kind:
    """Every kind that processes can share."""
    return _served(request)


def _served(request: pytest.FixtureRequest) -> Kind:
    kind = STORES[request.param]
    if kind.server:
        request.getfixturevalue(kind.server)
    return kind


@pytest_asyncio.fixture
async def store(kind: Kind, tmp_path: Path) -> AsyncIterator[InvocationStore]:
    """A store of each kind, closed at the end."""
    opened = kind.open(tmp_path)
    yield opened
    await opened.aclose()


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A plain server; its address is in the environment, for other processes too."""
    with (
        running_server(tmp_path_factory.mktemp("redis")) as server,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("TEST_REDIS_URL", server.url)
        yield server


@pytest.fixture
def empty_redis(redis_server: RedisServer) -> RedisServer:
    """The shared plain server, emptied."""
    with redis_server.admin() as admin:
        admin.flushall()
    return redis_server


@pytest.fixture(scope="session")
def redis_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """One node of a cluster of two; its address is in the environment, too."""
    with (
        running_cluster(tmp_path_factory.mktemp("redis-cluster")) as node,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("TEST_REDIS_CLUSTER_URL", node.url)
        yield node
