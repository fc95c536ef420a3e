"""What a question says: when, and about which names, ids and error texts."""

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import partial
from zoneinfo import ZoneInfo

from graph.offline.lexicon import concepts, nouns, pattern, words

_MARGIN, _DAY = timedelta(minutes=10), timedelta(days=1)
_NOUN_CHARACTERS = 14
Window = tuple[datetime | None, datetime | None, datetime | None]
_said = partial(pattern, section="question")


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
        row = any(_said("row").fullmatch(value) for _, value in self.ids)
        return row or (self.start is not None and bool(self.names or self.phrases))


def read_question(content: str) -> Question:
    """Read the user turn: the question and, at its end, when it was asked."""
    line = _said("asked").search(content)
    text = content[: line.start()].strip() if line else content.strip()
    asked = datetime.fromisoformat(line[1]) if line else datetime.now(UTC)
    now = asked.astimezone(_zone(text) or (ZoneInfo(line[2]) if line else UTC))
    days, rest = _days(text, now.date())
    plain, phrase = _said("clock").sub(" ", rest), _said("phrase")
    tokens = [m for m in _said("token").finditer(plain) if not phrase.fullmatch(m[0])]
    found = [match for match in tokens if _said("id").fullmatch(match[0])]
    # the noun of an id stands after the id before it
    ends = [0, *(match.end() for match in found)]
    spans = [
        (max(m.start() - _NOUN_CHARACTERS, end), m) for m, end in zip(found, ends, strict=False)
    ]
    ids = [(nouns(plain[at : match.start()]), match[0]) for at, match in spans]
    # a Latin word in Chinese text is a name, an English word when it is written like one
    like_name = _said("latin") if _said("chinese").search(text) else _said("code")
    names = [match[0] for match in tokens if like_name.search(match[0])]
    names += _said("first").findall(plain) if rest != text else []
    names = [name for name in names if not _said("generic").fullmatch(name)]
    phrases = [quoted or code for quoted, code in phrase.findall(text)]
    return Question(text, *_window(text, rest, days, now), ids, phrases, names, concepts(text))


def _zone(text: str) -> tzinfo | None:
    offset = _said("offset").search(text)
    if offset or _said("beijing").search(text):
        return timezone(timedelta(hours=int(offset[1] or offset[2]) if offset else 8))
    return UTC if _said("utc").search(text) else None


def _days(text: str, today: date) -> tuple[list[date], str]:
    """The days named, in order, and the text without them."""
    months = words("question")["months"]
    found = [(match.start(), today - _DAY) for match in _said("yesterday").finditer(text)]
    for spelling, order in words("question")["dates"]:
        for match in list(re.finditer(spelling.replace("MONTH", "|".join(months)), text, re.I)):
            said = dict(zip(order, match.groups(), strict=True))
            month, year = said["m"].lower()[:3], int(said.get("y") or today.year)
            number = months.index(month) + 1 if month in months else int(month)
            with suppress(ValueError):
                day = date(year + 2000 if year < 100 else year, number, int(said["d"]))
                later = not said.get("y") and day > today
                found.append((match.start(), day.replace(year=year - 1) if later else day))
                text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    return [day for _, day in sorted(found)], text


def _clock(match: re.Match[str]) -> timedelta:
    part, hour, minute, second, spoken, half = match.groups("")
    late = 12 if (half or _said("late").match(part)) and int(hour) < 12 else 0
    seconds = int(second or 0) + 60 * int(minute or spoken or 0) + 3600 * (int(hour) + late)
    return timedelta(seconds=seconds)


def _window(text: str, rest: str, days: list[date], now: datetime) -> Window:
    """Start, end, and the stated beginning."""
    clocks = [_clock(match) for match in _said("clock").finditer(rest)]
    if past := _said("past").search(text):
        minutes = words("question")["minutes"][past[2].lower()] * int(past[1] or 1)
        return now - timedelta(minutes=minutes), now, None
    if not days and not clocks:
        return None, None, None
    days, since = days or [now.date()], _said("since").search(text)
    first, last = (datetime.combine(day, time(), now.tzinfo) for day in (days[0], days[-1]))
    if not clocks:
        return first, last + _DAY * (7 if since else 1) - timedelta(seconds=1), None
    start, end = first + clocks[0], last + clocks[-1]
    if len(clocks) == 1:
        return start - _MARGIN, end + (_DAY if since else _MARGIN), start if since else None
    while end < start:
        end += _DAY / 2
    return start, end + timedelta(seconds=59), start
