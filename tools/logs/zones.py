"""Time zones: names people and models write, and local times turned into UTC in SQL."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tools.logs.stamps import sql_text

_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?([0-5]\d))?", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+){0,2}")
_MAX_OFFSET = timedelta(hours=14)


@lru_cache(maxsize=256)
def find_zone(name: str) -> tzinfo | None:
    """The zone of an IANA name, `UTC`, `Z` or an offset such as `+08:00`; None when unknown.

    Abbreviations that several countries use (`CST`) are unknown on purpose.
    """
    text = name.strip()
    if text.upper() in {"UTC", "Z", "GMT"}:
        return UTC
    if offset := _OFFSET.fullmatch(text):
        sign = 1 if offset[1] == "+" else -1
        delta = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
        return timezone(sign * delta) if delta <= _MAX_OFFSET else None
    if not _NAME.fullmatch(text):
        return None
    try:
        return ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def to_utc(moment: datetime, zone: tzinfo) -> datetime:
    """The instant of a time; a naive one is read in `zone`."""
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)


def local_to_utc_sql(local: str, zone: tzinfo) -> str:
    """SQL for the UTC TIMESTAMP of a local one in `zone`; NULL inside a DST gap."""
    if isinstance(zone, ZoneInfo):
        return _named_to_utc_sql(local, sql_text(zone.key))
    offset = zone.utcoffset(None) or timedelta()
    return f"({local} - INTERVAL {int(offset.total_seconds())} SECOND)"


def written_zone_to_utc_sql(local: str, zone: str, default: tzinfo) -> str:
    """SQL for the UTC TIMESTAMP of a local time beside its zone as written in the line.

    `zone` is an SQL text: an offset, `Z`, an IANA name in the table `known_zones`, or anything
    else, which is read as the default zone.
    """
    digits = f"replace({zone}, ':', '')"
    minutes = (
        f"(CASE left({zone}, 1) WHEN '-' THEN -1 ELSE 1 END * (substr({digits}, 2, 2)::INT * 60 "
        f"+ coalesce(nullif(substr({digits}, 4, 2), ''), '0')::INT))"
    )
    return (
        f"CASE WHEN {zone} IN ('Z', 'UTC', 'GMT') THEN {local} "
        f"WHEN left({zone}, 1) IN ('+', '-') THEN {local} - to_minutes({minutes}) "
        f"WHEN contains({zone}, '/') AND {zone} IN (SELECT name FROM known_zones) "
        f"THEN {_named_to_utc_sql(local, zone)} "
        f"ELSE {local_to_utc_sql(local, default)} END"
    )


def _named_to_utc_sql(local: str, zone: str) -> str:
    there = f"timezone({zone}, {local})"
    return f"CASE WHEN timezone({zone}, {there}) = {local} THEN timezone('UTC', {there}) END"
