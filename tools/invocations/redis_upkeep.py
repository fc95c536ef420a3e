"""What an operator asks of records in Redis: how much they take, and to be rid of old ones.

Both go through the keys of the whole server by SCAN, which disturbs nobody, and touch one record
a command, so that a cluster serves them too.
"""

import re
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from tools.invocations.redis_layout import SCHEMA_VERSION

if TYPE_CHECKING:
    from tools.invocations.redis_clients import Client

_SCANNED_AT_ONCE = 1_000
_SAMPLED_RECORDS = 100

PRUNE_SCRIPT = """
local kept = redis.pcall('HMGET', KEYS[1], 'schema', 'lease_expires_at', 'record')
if kept.err or kept[1] ~= ARGV[1] then return 0 end
local readable, record = pcall(cjson.decode, kept[3])
local lease = tonumber(kept[2])
if not readable or type(record) ~= 'table' or not lease then return 0 end
local changed = math.max(lease, tonumber(record.finished_at) or 0)
if changed >= tonumber(ARGV[2]) then return 0 end
return redis.call('DEL', KEYS[1])
"""


async def prune(client: "Client", prefix: str, *, before: float) -> int:
    """Removes the records whose last change or lease lies before that POSIX time; how many. What
    cannot be read, or another version wrote, stays until it expires."""
    removed = 0
    async for name in _names(client, prefix):
        told = await client.execute_command(
            "EVAL", PRUNE_SCRIPT, 1, name, SCHEMA_VERSION, repr(before)
        )
        removed += int(told)
    return removed


async def estimate_bytes(client: "Client", prefix: str, *, max_seconds: float) -> int:
    """What the records take in memory: counted as far as the time goes, times the mean of a
    sample of them."""
    end = time.monotonic() + max_seconds
    sample: list[int] = []
    count = 0
    async for name in _names(client, prefix):
        if len(sample) < _SAMPLED_RECORDS:
            # every field of it: one of them holds nearly all; what expired meanwhile takes nothing
            sample.append(int(await client.memory_usage(name, samples=0) or 0))
        count += 1
        if time.monotonic() > end:
            break
    return round(count * sum(sample) / len(sample)) if sample else 0


async def _names(client: "Client", prefix: str) -> AsyncIterator[bytes]:
    """The keys of records; the same one may come twice."""
    literally = re.sub(r"([*?\[\]\\^-])", r"\\\1", prefix)
    async for name in client.scan_iter(match=f"{literally}*", count=_SCANNED_AT_ONCE):
        yield name
