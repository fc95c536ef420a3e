"""A folder of generated logs: twelve services, a file each an hour, older hours packed.

Lines are about 200 bytes, as text, JSON or logfmt by service, in time order within a file. Almost
all are noise of a few dozen kinds; one `NEEDLE` stands in the middle of one service's day. The same
number of lines gives the same bytes.
"""

import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

SERVICES = (
    "cart", "checkout", "payment", "inventory", "catalogue", "shipping",
    "gateway", "identity", "search", "mailer", "pricing", "ledger",
)  # fmt: skip
NEEDLE = "LEASE_FENCE_MISMATCH"
NEEDLE_SERVICE = "payment"
DAY = datetime(2026, 3, 12, tzinfo=UTC)
HOURS = 8
PACKED_HOURS = 2
_SEED = 20261201
_NOISE = (
    ("INFO", "request served method=GET path=/v1/items/{n} status=200 bytes={m} peer=10.0.{a}.{b}"),
    ("INFO", "cache refreshed region=eu-{a} entries={n} evicted={m} source=replica-{b} pass=1"),
    ("INFO", "session renewed user=u_{n} device={m} ttl=3600 node=node-{a} shard={b} kind=s"),
    ("DEBUG", "query planned table=orders rows={n} cost={m} index=by_day shard={a} lane={b}"),
    ("WARN", "slow upstream call took {m} ms to host-{a}.internal attempt {b} for order {n}"),
    ("ERROR", "upstream refused order {n}: reset by host-{a}.internal after {m} ms ({b})"),
)  # fmt: skip
_WEIGHTS = (60, 20, 12, 5, 2, 1)


def write_logs(folder: Path, lines: int) -> int:
    """Fill `folder`; returns the unpacked size in bytes."""
    random = Random(_SEED)
    per_file = max(10, lines // (len(SERVICES) * HOURS))
    size = 0
    for service in SERVICES:
        (folder / service).mkdir(parents=True, exist_ok=True)
        for hour in range(HOURS):
            packed = hour < PACKED_HOURS
            name = f"{service}-{hour:02d}.log{'.gz' if packed else ''}"
            data = "".join(_hour(service, hour, per_file, random)).encode()
            size += len(data)
            (folder / service / name).write_bytes(gzip.compress(data, 6) if packed else data)
    return size


def _hour(service: str, hour: int, lines: int, random: Random) -> Iterator[str]:
    start = DAY + timedelta(hours=hour)
    step = 3_600_000_000 // lines
    kinds = random.choices(_NOISE, _WEIGHTS, k=lines)
    needle = lines // 2 if (service, hour) == (NEEDLE_SERVICE, HOURS // 2) else -1
    for number, (level, noise) in enumerate(kinds):
        bits = random.getrandbits(48)
        message = noise.format(
            n=bits & 0xFFFFFF, m=bits >> 24 & 0xFFF, a=bits >> 36 & 63, b=bits >> 42
        )
        if number == needle:
            level, message = "WARN", f"{NEEDLE} epoch 41 behind 42, writes dropped for ent_hailan"
        at = (start + timedelta(microseconds=number * step)).isoformat(timespec="milliseconds")
        yield _line(service, at.replace("+00:00", "Z"), level, message, f"{bits:012x}")


def _line(service: str, at: str, level: str, message: str, trace: str) -> str:
    match SERVICES.index(service) % 3:
        case 0:
            where = f"[worker-{trace[:2]}] c.example.{service}.Handler"
            return f"{at} {level:5} {where} - {message} trace={trace}\n"
        case 1:
            line = {
                "time": at,
                "level": level,
                "service": service,
                "trace_id": trace,
                "message": message,
            }
            return json.dumps(line) + "\n"
        case _:
            stated = f"ts={at} level={level.lower()} service={service} trace_id={trace}"
            return f'{stated} msg="{message}"\n'
