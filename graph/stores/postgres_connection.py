"""A PostgreSQL connection that never waits for ever.

A server that is stopped, or a network that swallows what is sent, still acknowledges at most: no
timeout of the server's or of TCP's ends that wait. Here the connection ends instead, and with it
its locks; whoever waits on it gets the driver's error for a lost connection.

Importing this needs the extra `postgres`.
"""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

from psycopg import AsyncConnection
from psycopg.abc import PQGen

ANSWER_SECONDS = 40.0
"""What an answer may take before the connection is given up: more than the server, while it runs,
gives a statement."""

_Answer = TypeVar("_Answer")

# the driver's warnings name hosts; without a handler Python would print them
logging.getLogger("psycopg").addHandler(logging.NullHandler())


class BoundedConnection(AsyncConnection[Any]):
    """Gives up after `ANSWER_SECONDS`, or what `unhurried` allows meanwhile."""

    _patience_seconds: float | None = None

    async def wait(self, gen: PQGen[_Answer], *args: Any, **options: Any) -> _Answer:
        """As in the base, where every exchange with the server comes through."""
        seconds = self._patience_seconds or ANSWER_SECONDS
        given_up = asyncio.get_running_loop().call_later(seconds, self._give_up)
        try:
            return await super().wait(gen, *args, **options)
        finally:
            given_up.cancel()

    @asynccontextmanager
    async def unhurried(self, seconds: float) -> AsyncIterator[None]:
        """Answers may take so long until the end of the block: a change of tables."""
        self._patience_seconds = seconds
        try:
            yield
        finally:
            self._patience_seconds = None

    def _give_up(self) -> None:
        """Whoever waits reads the end of the stream, as if the server had closed it."""
        if self.closed:
            return
        with suppress(OSError), socket.fromfd(self.fileno(), 0, socket.SOCK_STREAM) as shared:
            shared.shutdown(socket.SHUT_RDWR)
