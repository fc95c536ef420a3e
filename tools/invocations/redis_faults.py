"""What can be wrong with a Redis store, as a closed set of codes."""

import ssl
from enum import StrEnum

from tools.invocations.records import StoreUnavailable


class StoreFault(StrEnum):
    """One code a fault; the code is all that leaves the store."""

    UNREACHABLE = "INVOCATION_STORE_UNREACHABLE"
    """No connection: down, refused, cut off, still loading, out of connections."""
    TLS_REFUSED = "INVOCATION_STORE_TLS_REFUSED"
    """The server's certificate is not trusted, or it wants one of ours."""
    SLOW = "INVOCATION_STORE_TIMEOUT"
    """No answer in time. What was asked for may have happened; asking again is safe."""
    ACCESS_DENIED = "INVOCATION_STORE_ACCESS_DENIED"
    """A wrong password or user, or a user who may not do this."""
    FULL = "INVOCATION_STORE_FULL"
    """The memory limit is reached and nothing is evicted. Reading still works."""
    READ_ONLY = "INVOCATION_STORE_READ_ONLY"
    """A replica. Reading still works."""
    WRONG_MODE = "INVOCATION_STORE_WRONG_MODE"
    """A node of a cluster opened as a server of its own, or the other way round."""
    DAMAGED = "INVOCATION_STORE_DAMAGED"
    """Something else lies under the record's key."""
    OTHER_SCHEMA = "INVOCATION_STORE_OTHER_SCHEMA"
    """The record was written by another version."""
    UNAVAILABLE = StoreUnavailable.code
    """The server refused for any other reason."""


_SAID = {
    # Redis 6 reports what happened inside a script as ERR, the real code further on
    "-OOM ": StoreFault.FULL,
    "-READONLY ": StoreFault.READ_ONLY,
    "The user executing the script can't": StoreFault.ACCESS_DENIED,
    "cluster support disabled": StoreFault.WRONG_MODE,
    # who has not logged in may not even send a script
    "unauthenticated": StoreFault.ACCESS_DENIED,
}


class RedisUnavailable(StoreUnavailable):
    """`StoreUnavailable` with the code of what is wrong."""

    def __init__(self, action: str, fault: StoreFault) -> None:
        super().__init__(f"redis invocation store: {action} failed, {fault.name}")
        self.code = fault.value


class Unreadable(Exception):
    """What lies under a record's key cannot be used; `fault` says why."""

    def __init__(self, fault: StoreFault) -> None:
        super().__init__(fault.name)
        self.fault = fault


def fault_of(error: Exception) -> StoreFault:
    """The fault behind an error of the client or the operating system."""
    from redis import exceptions as redis

    match error:
        case TimeoutError() | redis.TimeoutError():
            return StoreFault.SLOW
        case redis.AuthenticationError() | redis.AuthorizationError() | redis.NoPermissionError():
            return StoreFault.ACCESS_DENIED
        case redis.OutOfMemoryError():
            return StoreFault.FULL
        case redis.ReadOnlyError():
            return StoreFault.READ_ONLY
        case redis.RedisClusterException():
            # what a node said, or why none could be asked
            behind = error.__cause__ or error.__context__
            return fault_of(behind) if isinstance(behind, Exception) else StoreFault.UNAVAILABLE
        case redis.MovedError():
            return StoreFault.WRONG_MODE
        case redis.ResponseError():
            said = (fault for words, fault in _SAID.items() if words in str(error))
            return next(said, StoreFault.UNAVAILABLE)
        case redis.ConnectionError() | OSError():
            tls = isinstance(error, ssl.SSLError) or isinstance(error.__context__, ssl.SSLError)
            return StoreFault.TLS_REFUSED if tls else StoreFault.UNREACHABLE
        case _:
            return StoreFault.UNAVAILABLE
