"""The provider of the session."""

from collections.abc import Iterator

import pytest

from tests.wire.provider import Provider


@pytest.fixture(scope="session")
def provider() -> Iterator[Provider]:
    with Provider().serving() as serving:
        yield serving
