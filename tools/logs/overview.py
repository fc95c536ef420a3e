"""What the model is told the logs hold: services by the days they cover, in a bounded text."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime

from tools.logs.coverage import ServiceFacts

MAX_CHARS = 1_480

_NAME = re.compile(r"[\w./@ -]{1,64}")
_MOST_NAMES = (100, 60, 40, 30, 20, 15, 10, 6, 3, 1)
_MOST_GROUPS = 10
_MOST_YEARLESS = 8
_PURPOSE = (
    "Search log events. If more match than are shown, the first item sums up all. Times are UTC; "
    "lines without a zone are read as {zone}, and so are those with one like CST."
)
_YEARLESS = " Lines without a year are read in the window's."


def overview(
    services: list[ServiceFacts],
    names: Iterable[str],
    zone_name: str,
    *,
    files: int = 0,
    left_out: Mapping[str, int] | None = None,
    unavailable: str | None = None,
) -> str:
    """The tool's description: what to ask by, and what there is to ask about.

    Services come grouped by their days, those with most events first, as many a group as fit; of
    those without a year (a machine's programs, mostly) eight. Then, if there is room, the files
    and folders that answer as services. Names come from log lines: those with anything but plain
    characters are left out.
    """
    text = _PURPOSE.format(zone=zone_name)
    if unavailable is not None:
        return f"{text} Not available now: {unavailable}."
    if any(service.yearless_first for service in services):
        text += _YEARLESS
    if files:
        text += f" {files} files."
    if left_out:
        counts = ", ".join(f"{count} {reason}" for reason, count in left_out.items())
        text += f" Not wholly read: {counts}."
    plain = [service for service in services if _NAME.fullmatch(service.name)]
    for most in _MOST_NAMES:
        listed = f"{text} Services by days covered: {_listed(plain, most)}"
        if len(listed) <= MAX_CHARS:
            break
    stated = {service.name for service in services}
    others = sorted(name for name in names if name not in stated and _NAME.fullmatch(name))
    with_others = f"{listed}; files and folders also answer: {_some(others, 30)}"
    return (with_others if others and len(with_others) <= MAX_CHARS else listed)[:MAX_CHARS]


def _listed(services: list[ServiceFacts], most: int) -> str:
    groups: dict[str, list[str]] = {}
    for service in services:
        if service.first and service.last:
            days = _span(service.first, service.last, "%Y-%m-%d")
            if days not in groups and len(groups) >= _MOST_GROUPS:
                days = "other days"
            groups.setdefault(days, []).append(service.name)
    yearless = [
        f"{service.name} {_span(service.yearless_first, service.yearless_last, '%m-%d')}"
        for service in services
        if service.yearless_first and service.yearless_last and not service.first
    ]
    timeless = [s.name for s in services if not s.first and not s.yearless_first]
    parts = [f"{days}: {_some(names, most)}" for days, names in groups.items()]
    if yearless:
        parts.append(f"no year: {_some(yearless, min(most, _MOST_YEARLESS))}")
    if timeless:
        parts.append(f"no times: {_some(timeless, min(most, _MOST_YEARLESS))}")
    return "; ".join(parts) or "none yet"


def _some(names: list[str], most: int) -> str:
    more = f" (+{len(names) - most})" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _span(first: datetime, last: datetime, pattern: str) -> str:
    days = first.strftime(pattern), last.strftime(pattern)
    return days[0] if days[0] == days[1] else f"{days[0]} to {days[1]}"
