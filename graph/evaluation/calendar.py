"""Moves every date in a text by whole weeks, each in its own spelling; times of day stay.

Known: `2025-03-04` (also `/` `.` and 年月日), `17/06/09`, `20171223-`, `1 March 2025`,
`March 1, 2025`, `Dec 10` (before a time of day, as in syslog), `Dec 04 04:47:44 2005`. What is no
valid date stays.
"""

import re
from collections.abc import Callable
from datetime import date, timedelta

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_FULL = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
_MONTH = rf"(?P<m>{'|'.join(_FULL)}|{'|'.join(_MONTHS)})"
_YEAR, _TIME = r"(?P<y>(?:19|20)\d\d)", r"\d\d?:\d\d"
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<!\d){_YEAR}(?P<s>\s*[-/.年]\s*)(?P<m>\d\d?)(?P<t>\s*[-/.月]\s*)(?P<d>\d\d?)(?!\d)",
        rf"(?<!\d){_YEAR}(?P<m>\d\d)(?P<d>\d\d)(?=-\d)",
        r"(?<![\d/])(?P<y>\d\d)(?P<s>/)(?P<m>\d\d)(?P<t>/)(?P<d>\d\d)(?![\d/])",
        rf"\b(?P<d>\d\d?)(?P<s> ){_MONTH}(?P<t>,? ){_YEAR}\b",
        rf"\b{_MONTH}(?P<s> +)(?P<d>\d\d?)(?P<t>(?: {_TIME}(?::\d\d)?|,)? ){_YEAR}\b",
        rf"\b{_MONTH}(?P<s> +)(?P<d>\d\d?)(?= {_TIME})",
    )
)
_YEARLESS_BASE = 2023  # no leap day: a syslog date moves the same way whatever its year
_MARK = "\x00"


def moved_dates(text: str, weeks: int) -> str:
    """The text with each known date `weeks` weeks later (earlier when negative)."""
    days = timedelta(weeks=weeks)
    for pattern in _PATTERNS:
        text = pattern.sub(_mover(days), text)
    return text.replace(_MARK, "")


def _mover(days: timedelta) -> Callable[[re.Match[str]], str]:
    def moved(match: re.Match[str]) -> str:
        said = match.groupdict()
        month = said["m"]
        number = int(month) if month.isdigit() else [m[:3] for m in _FULL].index(month[:3]) + 1
        year = int(said["y"]) if said.get("y") else _YEARLESS_BASE
        try:
            day = date(year + 2000 if year < 100 else year, number, int(said["d"])) + days
        except (ValueError, OverflowError):
            return match[0]
        return _spelled(match, day)

    return moved


def _spelled(match: re.Match[str], day: date) -> str:
    """The new date spelled like the old one, marked so that no later pattern moves it again."""
    said = {"y": "", "s": "", "t": ""} | {k: v or "" for k, v in match.groupdict().items()}
    year = str(day.year)[-len(said["y"]) :] if said["y"] else ""
    if said["m"].isdigit():
        width = 1 if "年" in said["s"] else 2
        text = f"{year}{said['s']}{day.month:0{width}d}{said['t']}{day.day:0{width}d}"
    else:
        names = _FULL if said["m"] in _FULL and said["m"] not in _MONTHS else _MONTHS
        month, number = names[day.month - 1], str(day.day)
        if not year:  # syslog: the day right-aligned
            text = f"{month} {number:>{len(said['s'] + said['d']) - 1}}"
        elif match.start("d") < match.start("m"):
            text = f"{number}{said['s']}{month}{said['t']}{year}"
        else:
            number = f"{day.day:02d}" if ":" in said["t"] else number
            text = f"{month}{said['s']}{number}{said['t']}{year}"
    return text[0] + _MARK + text[1:]
