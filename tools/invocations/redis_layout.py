"""The Redis hash of one canonical record, and the commands and scripts that read and change it.

    <namespace>:invocation:<record key>    expires as a whole, set anew by every transition
        schema              version of this layout; another one is refused, not guessed
        status, failures    as the store counts them; they stand above those in `record`
        owner               who holds, or last held, the claim
        lease_expires_at    POSIX seconds by the claimants' clocks
        step, answer        the last transition's id, and what it was told
        record              the rest: the `InvocationRecord` as JSON

A script touches its one key only. A client that lost the reply sends the same step again: it is
told the same answer, and nothing is applied twice.
"""

import json
import math
import uuid
from typing import Any, cast

from tools.invocations.records import Claim, InvocationRecord, InvocationStatus
from tools.invocations.redis_faults import StoreFault, Unreadable

SCHEMA_VERSION = "1"

_READ = """
local key, schema, step = KEYS[1], ARGV[1], ARGV[2]
local kept = redis.call('HMGET', key, 'schema', 'step', 'answer', 'status', 'owner',
                        'lease_expires_at', 'failures')
if kept[1] ~= schema and redis.call('EXISTS', key) == 1 then return {'OTHER_SCHEMA'} end
local status, failures = kept[4], kept[7] or '0'
"""

BEGIN_SCRIPT = (
    _READ
    + """
local now, owner, lease, ttl_ms, record = ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local function told(answer)
  return {answer, redis.call('HGET', key, 'status'), failures, redis.call('HGET', key, 'record')}
end
if kept[2] == step then return told(kept[3]) end
if status == 'READY' then return told('READY') end
if status == 'STARTED' and tonumber(kept[6]) > tonumber(now) then return told('WAIT') end
local answer = status == 'STARTED' and 'TAKEN_OVER' or 'RUN'
redis.call('HSET', key, 'schema', schema, 'step', step, 'answer', answer, 'status', 'STARTED',
           'owner', owner, 'lease_expires_at', lease, 'failures', failures, 'record', record)
redis.call('PEXPIRE', key, ttl_ms)
return told(answer)
"""
)

MARK_SCRIPT = (
    _READ
    + """
local owner, outcome, ttl_ms, record = ARGV[3], ARGV[4], ARGV[5], ARGV[6]
if kept[2] == step then return {kept[3]} end
if status ~= 'STARTED' or kept[5] ~= owner then return {'LEASE_LOST'} end
redis.call('HSET', key, 'step', step, 'answer', 'MARKED', 'status', outcome, 'record', record)
if outcome == 'ERROR' then redis.call('HINCRBY', key, 'failures', 1) end
redis.call('PEXPIRE', key, ttl_ms)
return {'MARKED'}
"""
)


def begin_command(
    name: str, record: InvocationRecord, *, now: float, ttl_seconds: float
) -> list[Any]:
    """Claims the record under the key `name`; `read_claim` reads what comes back."""
    lease = repr(float(record["lease_expires_at"]))
    arguments = [repr(float(now)), record["owner"], lease, _milliseconds(ttl_seconds)]
    return ["EVAL", BEGIN_SCRIPT, 1, name, SCHEMA_VERSION, _step(), *arguments, _json(record)]


def mark_command(
    name: str, record: InvocationRecord, status: InvocationStatus, *, ttl_seconds: float
) -> list[Any]:
    """Ends the claim of the record's owner; `read_mark` reads what comes back."""
    arguments = [record["owner"], status.value, _milliseconds(ttl_seconds)]
    return ["EVAL", MARK_SCRIPT, 1, name, SCHEMA_VERSION, _step(), *arguments, _json(record)]


def find_command(name: str) -> list[Any]:
    """Reads the record under the key `name`; `read_record` reads what comes back."""
    return ["HMGET", name, "schema", "status", "failures", "record"]


def read_claim(key: str, reply: list[bytes]) -> Claim:
    """What `begin` decided. Raises `Unreadable`."""
    match reply:
        case [b"RUN" | b"TAKEN_OVER" | b"WAIT" | b"READY" as decision, *fields]:
            return Claim(cast("Any", decision.decode()), _record(key, *fields))
        case _:
            raise _unreadable(reply)


def read_mark(reply: list[bytes]) -> bool:
    """Whether the mark holds; not when the claim is somebody else's. Raises `Unreadable`."""
    match reply:
        case [b"MARKED"]:
            return True
        case [b"LEASE_LOST"]:
            return False
        case _:
            raise _unreadable(reply)


def read_record(key: str, reply: list[bytes | None]) -> InvocationRecord | None:
    """The record, or None where there is none. Raises `Unreadable`."""
    schema, *fields = reply
    if schema is None:
        return None
    if schema != SCHEMA_VERSION.encode():
        raise Unreadable(StoreFault.OTHER_SCHEMA)
    return _record(key, *fields)


def _unreadable(reply: list[bytes]) -> Unreadable:
    other = reply == [b"OTHER_SCHEMA"]
    return Unreadable(StoreFault.OTHER_SCHEMA if other else StoreFault.DAMAGED)


def _record(key: str, *fields: bytes | None) -> InvocationRecord:
    try:
        status, failures, stored = (
            cast("bytes", field).decode("utf-8", "surrogatepass") for field in fields
        )
        record = json.loads(stored)
        record["status"] = InvocationStatus(status).value
        record["failures"] = int(failures)
        own = record["key"] == key
    except (AttributeError, KeyError, TypeError, ValueError):
        own = False
    if not own:
        raise Unreadable(StoreFault.DAMAGED)
    return cast("InvocationRecord", record)


def _json(record: InvocationRecord) -> bytes:
    """Text as it is: escapes would cost Chinese evidence twice the memory."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def _step() -> str:
    return uuid.uuid4().hex


def _milliseconds(seconds: float) -> int:
    return math.ceil(seconds * 1000)
