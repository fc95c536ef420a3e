"""Canonical records in Redis: the store that processes and hosts share (C5.1, C5.2).

Plain Redis from version 6 on, no modules. A record is one hash, a transition one script on that
hash, so that exactly one claimant wins, and a cluster never meets two keys in one command. The
layout of the hash stands in `redis_layout`.

Clocks: a lease is compared with the `now` of who claims, not with the server's time, so that every
store means the same by it. Hosts whose clocks differ by less than the lease's margin over the tool
timeout behave as one. Beyond that a claim may be taken over early and a read-only query run twice
at once; still one result counts, for the earlier owner's mark is then refused with `LeaseLost`.

Loss: an evicted, expired or lost record is absent, and a failover may take the latest transitions
with it. What is absent is no fact (C6) and is queried again. A claim that is gone is `LeaseLost`.

Access: `ACL SETUSER diagnosis on >… ~diagnosis:invocation:* +eval +exists +hget +hmget +hset
+hincrby +pexpire` is all that a server must allow, and `+select` where the URL names a database.
A cluster client needs `+cluster +command` too, and who prunes or asks for sizes `+scan +del
+memory|usage`.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import SecretStr

from tools.invocations.records import Claim, InvocationRecord, InvocationStatus, LeaseLost
from tools.invocations.redis_clients import RedisClients
from tools.invocations.redis_faults import RedisUnavailable, Unreadable, fault_of
from tools.invocations.redis_layout import (
    begin_command,
    find_command,
    mark_command,
    read_claim,
    read_mark,
    read_record,
)
from tools.invocations.redis_upkeep import estimate_bytes, prune

if TYPE_CHECKING:
    from tools.invocations.redis_clients import Client

_Answer = TypeVar("_Answer")

SEVEN_DAYS_SECONDS = 7 * 24 * 3600
_PRUNE_SECONDS = 600.0


class RedisInvocationStore:
    """`InvocationStore` on the Redis at `url` (`redis://`, `rediss://`, `unix://`).

    A record is kept `ttl_seconds` after its last transition, a claim at least for its lease; within
    that time a resumed run reuses it. Keys begin with `namespace`. `cluster`: the URL names one
    node of a Redis Cluster. Usable from any event loop, and again after `aclose`.

    An operation answers within `max_seconds`, retries included, or raises `RedisUnavailable`, whose
    code says what is wrong; neither the URL nor what the server said stands in it. Raises
    `ValueError` for a URL or an option that cannot be used. Nothing connects before the first use.
    """

    def __init__(
        self,
        url: str,
        *,
        ttl_seconds: float = SEVEN_DAYS_SECONDS,
        namespace: str = "diagnosis",
        max_seconds: float = 5.0,
        max_connections: int = 32,
        cluster: bool = False,
    ) -> None:
        if min(ttl_seconds, max_seconds, max_connections) <= 0:
            raise ValueError("ttl_seconds, max_seconds and max_connections must be above 0")
        self._clients = RedisClients(
            SecretStr(url),
            max_seconds=max_seconds,
            max_connections=max_connections,
            cluster=cluster,
        )
        self._ttl_seconds = ttl_seconds
        self._max_seconds = max_seconds
        self._prefix = f"{namespace}:invocation:"

    async def begin(self, record: InvocationRecord, *, now: float) -> Claim:
        """As in the protocol. A new claim keeps the count of failures of the ones before."""
        ttl_seconds = max(self._ttl_seconds, record["lease_expires_at"] - now)
        command = begin_command(
            self._prefix + record["key"], record, now=now, ttl_seconds=ttl_seconds
        )
        return await self._call("begin", command, lambda reply: read_claim(record["key"], reply))

    async def mark_ready(self, record: InvocationRecord) -> None:
        """As in the protocol. READY is final: neither a mark nor a claim changes it."""
        await self._mark("mark_ready", record, InvocationStatus.READY)

    async def mark_error(self, record: InvocationRecord) -> None:
        """As in the protocol. The store counts the failure."""
        await self._mark("mark_error", record, InvocationStatus.ERROR)

    async def find(self, key: str) -> InvocationRecord | None:
        """As in the protocol. Works on a read-only replica and on a full server, too."""
        command = find_command(self._prefix + key)
        return await self._call("find", command, lambda reply: read_record(key, reply))

    async def prune(self, *, before: float) -> int:
        """Removes the records whose last change or lease lies before that POSIX time, earlier than
        they would expire; how many. A run resumed later finds no fact there (C6)."""
        return await self._asked(
            "prune",
            lambda client: prune(client, self._prefix, before=before),
            max_seconds=_PRUNE_SECONDS,
        )

    async def size_bytes(self) -> int:
        """About what the records take in memory; too little where so many keys lie on the server
        that half the time of an operation does not see them all."""
        half = self._max_seconds / 2
        return await self._asked(
            "size_bytes", lambda client: estimate_bytes(client, self._prefix, max_seconds=half)
        )

    async def aclose(self) -> None:
        """Closes the connections of the running event loop; another loop's end closes its own."""
        await self._clients.aclose()

    async def _mark(self, action: str, record: InvocationRecord, status: InvocationStatus) -> None:
        command = mark_command(
            self._prefix + record["key"], record, status, ttl_seconds=self._ttl_seconds
        )
        if not await self._call(action, command, read_mark):
            raise LeaseLost(record["tool"])

    async def _call(
        self, action: str, command: list[Any], read: Callable[[Any], _Answer]
    ) -> _Answer:
        async def answer(client: "Client") -> _Answer:
            return read(await client.execute_command(*command))

        return await self._asked(action, answer)

    async def _asked(
        self,
        action: str,
        work: Callable[["Client"], Awaitable[_Answer]],
        *,
        max_seconds: float | None = None,
    ) -> _Answer:
        from redis.exceptions import RedisClusterException, RedisError

        try:
            async with (
                asyncio.timeout(max_seconds or self._max_seconds),
                self._clients.client() as client,
            ):
                return await work(client)
        except Unreadable as unreadable:
            fault = unreadable.fault
        except (RedisError, RedisClusterException, OSError) as error:
            fault = fault_of(error)
        # raised out here, so that what the client said is not even this error's context
        raise RedisUnavailable(action, fault)
