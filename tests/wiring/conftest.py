"""The servers that processes share in these tests; each is started when a test first wants it."""

from collections.abc import Iterator

import pytest

from tests.stores.postgres_server import PostgresServer, running_postgres
from tests.stores.redis_server import RedisServer, running_server


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A server for databases of a test's own."""
    with running_postgres() as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> str:
    """The URL of an empty database."""
    return postgres_server.new_database()


@pytest.fixture(scope="session")
def records_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A Redis for canonical records."""
    with running_server(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
def any_sessions(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The environment names each kind of session store in turn."""
    if request.param == "postgres":
        monkeypatch.setenv("STORES__SESSIONS__URL", request.getfixturevalue("postgres_url"))
    return str(request.param)
