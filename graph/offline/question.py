"""What a question says: when, and about which names, ids and error texts."""

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from graph.offline.lexicon import concepts, nouns, pattern, words

_MARGIN = timedelta(minutes=10)
_SINCE = timedelta(days=1)
Window = tuple[datetime | None, datetime | None, datetime | None]


@dataclass(frozen=True)
class Question:
    """A question read once: aware times, `end` inclusive; ids as (nouns before it, value).

    `stated` is when the failure began by the question's own words, where it says so exactly.
    """

    text: str
    start: datetime | None
    end: datetime | None
    stated: datetime | None
    ids: list[tuple[set[str], str]]
    phrases: list[str]
    names: list[str]
    concepts: set[str]

    @property
    def bounded(self) -> bool:
        """Whether a bounded query can be made: one row's id, or a time and a subject."""
        row = any(re.fullmatch(r"\d{5,}|.{31,}", value) for _, value in self.ids)
        return row or (self.start is not None and bool(self.names or self.phrases))


def read_question(content: str) -> Question:
    """Read the user turn: the question and, at its end, when it was asked."""
    line, phrase = _find("asked", content), pattern("phrase", "question")
    text = content[: line.start()].strip() if line else content.strip()
    asked = datetime.fromisoformat(line[1]) if line else datetime.now(UTC)
    zone = _zone(text) or (ZoneInfo(line[2]) if line else UTC)
    days, rest = _days(text, asked.astimezone(zone).date())
    plain = pattern("clock", "question").sub(" ", rest)
    found = [m for m in pattern("token", "question").finditer(plain) if not _find("generic", m[0])]
    ids = [
        (nouns(plain[max(0, match.start() - 14) : match.start()]), match[0])
        for match in found
        if len(match[0]) >= 4 and re.search(r"\d|_", match[0]) and not phrase.fullmatch(match[0])
    ]
    # a Latin word in Chinese text is a name, an English word when it is written like one
    named = r"[A-Za-z]" if re.search("[\u4e00-\u9fff]", text) else r"[A-Za-z].*[\d_.-]|[a-z][A-Z]"
    names = [m[0] for m in found if re.search(named, m[0])] + re.findall(
        r"(?<=[a-z,] )[A-Z]\w+", plain
    )
    phrases = [quoted or code for quoted, code in phrase.findall(text)]
    return Question(
        text, *_window(text, rest, days, asked, zone), ids, phrases, names, concepts(text)
    )


def _find(name: str, text: str) -> re.Match[str] | None:
    kind = pattern(name, "question")
    return kind.match(text) if name == "generic" else kind.search(text)


def _zone(text: str) -> tzinfo | None:
    offset = _find("offset", text)
    if offset or _find("beijing", text):
        return timezone(timedelta(hours=int(offset[1] or offset[2]) if offset else 8))
    return UTC if _find("utc", text) else None


def _days(text: str, today: date) -> tuple[list[date], str]:
    """The days named, in order, and the text without them."""
    found, months = [], words("question")["months"]
    for spelling, order in words("question")["dates"]:
        for match in list(re.finditer(spelling.replace("MONTH", "|".join(months)), text, re.I)):
            said = dict(zip(order, match.groups(), strict=True))
            month, year = said["m"].lower()[:3], int(said.get("y") or today.year)
            number = months.index(month) + 1 if month in months else int(month)
            with suppress(ValueError):
                day = date(year + 2000 if year < 100 else year, number, int(said["d"]))
                past = said.get("y") or day <= today
                found.append((match.start(), day if past else day.replace(year=year - 1)))
                text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    if back := _find("yesterday", text):
        found.append((back.start(), today - timedelta(days=1)))
    return [day for _, day in sorted(found)], text


def _clock(match: re.Match[str]) -> timedelta:
    part, hour, minute, second, spoken, half = match.groups("")
    hours = int(hour) + (12 if (half or _find("late", part)) and int(hour) < 12 else 0)
    return timedelta(hours=hours, minutes=int(minute or spoken or 0), seconds=int(second or 0))


def _window(text: str, rest: str, days: list[date], asked: datetime, zone: tzinfo) -> Window:
    clocks = [_clock(match) for match in pattern("clock", "question").finditer(rest)]
    since = _find("since", text)
    if past := _find("past", text):
        minutes = words("question")["minutes"][past[2].lower()]
        return asked - timedelta(minutes=int(past[1] or 1) * minutes), asked, None
    if not days and not clocks:
        return None, None, None
    days = days or [asked.astimezone(zone).date()]
    first, last = (datetime.combine(day, time(), zone) for day in (days[0], days[-1]))
    if not clocks:
        return first, last + timedelta(days=7 if since else 1, seconds=-1), None
    start, end = first + clocks[0], last + clocks[-1]
    if len(clocks) == 1:
        end += _SINCE if since else _MARGIN
        return start - _MARGIN, end, start if since else None
    while end < start:
        end += timedelta(hours=12)
    return start, end + timedelta(seconds=59), start
