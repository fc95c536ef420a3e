"""The real database servers that the SQL tests share, each started when a test first wants it."""

from collections.abc import Iterator

import pytest

from tests.sources.mariadb_server import running_mariadb
from tests.sources.sql_shops import MariaDbShop, PostgresShop, Shop
from tests.stores.postgres_server import running_postgres


@pytest.fixture(scope="session")
def mysql() -> Iterator[Shop]:
    """A shop on MariaDB."""
    with running_mariadb() as server:
        yield MariaDbShop(server)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Shop]:
    """A shop on PostgreSQL."""
    with running_postgres() as server:
        yield PostgresShop(server)


@pytest.fixture(params=["mysql", "postgres"])
def shop(request: pytest.FixtureRequest) -> Shop:
    """Each of the two in turn."""
    found: Shop = request.getfixturevalue(request.param)
    return found
