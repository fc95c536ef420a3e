"""The real database servers that the tests share, each started when a test first wants it."""

from collections.abc import Iterator

import pytest

from tests.sources.mariadb_server import MariaDbServer, running_mariadb
from tests.sources.sql_shops import MariaDbShop, PostgresShop, Shop
from tests.stores.postgres_server import PostgresServer, running_postgres


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[MariaDbServer]:
    with running_mariadb() as server:
        yield server


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def mysql(mariadb_server: MariaDbServer) -> Shop:
    """A shop on MariaDB."""
    return MariaDbShop(mariadb_server)


@pytest.fixture(scope="session")
def postgres(postgres_server: PostgresServer) -> Shop:
    """A shop on PostgreSQL."""
    return PostgresShop(postgres_server)


@pytest.fixture(params=["mysql", "postgres"])
def shop(request: pytest.FixtureRequest) -> Shop:
    """Each of the two in turn."""
    found: Shop = request.getfixturevalue(request.param)
    return found
