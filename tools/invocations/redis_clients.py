"""Redis clients of one URL, one an event loop: connections belong to the loop that made them."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

if TYPE_CHECKING:
    from redis.asyncio import Redis, RedisCluster

    Client = Redis | RedisCluster

_RETRIES = 3
_FIRST_PAUSE_SECONDS = 0.02
_LONGEST_PAUSE_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class _Link:
    """What one event loop uses. `lifetime` closes the client as it is closed itself."""

    client: "Client"
    slots: asyncio.Semaphore
    lifetime: AsyncGenerator[None, None]


class RedisClients:
    """Opens on first use, at most `max_connections` connections a loop; a task waits for its turn.

    A connection that an attempt finds dead is replaced and the command sent again, so commands must
    bear that. Raises `ValueError` for a URL or options that Redis clients do not know.
    """

    def __init__(
        self, url: SecretStr, *, max_seconds: float, max_connections: int, cluster: bool
    ) -> None:
        self._url = url
        self._max_seconds = max_seconds
        self._max_connections = max_connections
        self._cluster = cluster
        self._links: dict[asyncio.AbstractEventLoop, _Link] = {}
        self._refuse_wrong_options()

    @asynccontextmanager
    async def client(self) -> AsyncIterator["Client"]:
        """A client with a free connection; waits for one."""
        loop = asyncio.get_running_loop()
        if loop not in self._links:
            for ended in [other for other in list(self._links) if other.is_closed()]:
                self._links.pop(ended, None)
            self._links[loop] = await self._open()
        link = self._links[loop]
        async with link.slots:
            # else a cluster client sends its first commands to any node, and drops them all when
            # enough of them come back
            await link.client.initialize()
            yield link.client

    async def aclose(self) -> None:
        """Closes the client of the running loop; a later use opens another one."""
        link = self._links.pop(asyncio.get_running_loop(), None)
        if link is not None:
            await link.lifetime.aclose()

    async def _open(self) -> _Link:
        client = self._make()
        # a loop closes the generators begun in it before it ends, and so its connections
        lifetime = _lifetime(client)
        await anext(lifetime)
        return _Link(client, asyncio.Semaphore(self._max_connections), lifetime)

    def _make(self) -> "Client":
        from redis.asyncio import ConnectionPool, Redis, RedisCluster
        from redis.asyncio.connection import SSLConnection

        options = self._options()
        if self._cluster:
            tls = options.pop("connection_class", None) is SSLConnection
            return RedisCluster(**options, ssl=tls)
        return Redis.from_pool(ConnectionPool(**options))

    def _options(self) -> dict[str, Any]:
        """What the URL says, below what the store needs to keep its promises."""
        from redis.asyncio.connection import parse_url
        from redis.asyncio.retry import Retry
        from redis.backoff import ExponentialWithJitterBackoff

        pause = ExponentialWithJitterBackoff(base=_FIRST_PAUSE_SECONDS, cap=_LONGEST_PAUSE_SECONDS)
        return {
            **parse_url(self._url.get_secret_value()),
            # a connection may be dead without a word: one attempt leaves time for another
            "socket_timeout": self._max_seconds / 3,
            "socket_connect_timeout": self._max_seconds / 3,
            "max_connections": self._max_connections,
            "retry": Retry(pause, _RETRIES),
            "decode_responses": False,
            "protocol": 2,
            "driver_info": None,
        }

    def _refuse_wrong_options(self) -> None:
        from redis.asyncio import ConnectionPool
        from redis.exceptions import RedisClusterException, RedisError

        try:
            pool: Any = ConnectionPool(**self._options())
            pool.make_connection()
            self._make()
        except (ValueError, TypeError, RedisError, RedisClusterException):
            refused = True
        else:
            refused = False
        if refused:
            # said without the URL, which may hold a password
            raise ValueError("not a usable Redis URL: redis://, rediss:// or unix:// is expected")


async def _lifetime(client: "Client") -> AsyncGenerator[None, None]:
    from redis.exceptions import RedisError

    try:
        yield
    finally:
        # a server that does not answer need not be told good-bye
        with suppress(RedisError, OSError):
            await client.aclose()
