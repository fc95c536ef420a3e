"""The dialogue read back: what was asked, and what each piece of evidence says of it."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, time, timedelta, timezone
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from graph.offline.lexicon import filled, nouns, pattern

MARGIN, DAY = timedelta(minutes=10), timedelta(days=1)
MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec"
_NOUN_CHARACTERS, _EXCERPT_CHARACTERS, _LEVEL_WITHIN = 14, 240, 300
_NEVER = datetime.max.replace(tzinfo=UTC)


class Question(NamedTuple):
    """A question: `window` is when it failed, both ends included; an id comes with its nouns."""

    text: str
    window: tuple[datetime, datetime] | None
    ids: list[tuple[set[str], str]]
    phrases: list[str]
    names: list[str]

    @property
    def bounded(self) -> bool:
        """Whether a bounded query can be made: one row's id, or a time and a subject."""
        row = any(pattern("row").fullmatch(value) for _, value in self.ids)
        return row or bool(self.window and (self.names or self.phrases))


class Fact(NamedTuple):
    """A `row` of a database, or an event of a log. `message` is what an event says or what went
    wrong in a row; `failed` is 2 for a stated failure, 1 for a warning of one, else 0."""

    call: str
    id: str
    service: str
    text: str
    row: dict[str, Any]
    message: str
    failed: int
    at: datetime

    @property
    def names(self) -> set[str]:
        """The specific things it names, its own service aside."""
        return {match[0] for match in pattern("name").finditer(self.message)} - {self.service}

    def quote(self) -> str:
        """A verbatim part of the text, without credentials."""
        return _excerpt(max(pattern("secret").split(self.text), key=len))

    def said(self) -> str:
        """A whole row, or an event's message, without credentials."""
        row = ", ".join(f"{key}={value}" for key, value in self.row.items())
        return row or _excerpt(" … ".join(pattern("secret").split(self.message)))


class Observation(NamedTuple):
    """One answered tool call: what was asked and what came back."""

    call: str
    asked: tuple[str, dict[str, Any]]
    stop: bool
    facts: list[Fact]


def read_question(content: str) -> Question:
    """Read the user turn: the question and, at its end, when it was asked."""
    text, _, asked = content.partition("\n\n[asked at ")
    moment, _, zone = asked.rstrip("]").partition(", time zone ")
    now = datetime.fromisoformat(moment) if moment else datetime.now(UTC)
    offset, utc = pattern("offset").search(text), pattern("utc").search(text)
    hours = timedelta(hours=int(offset[1] or 8)) if offset else timedelta()
    now = now.astimezone(timezone(hours) if offset or utc else ZoneInfo(zone or "UTC"))
    plain, ids, names, end = text, [], [], 0
    for spelling in ("date", "clock", "phrase"):
        plain = pattern(spelling).sub(" ", plain)
    # a Latin word in Chinese text is a name, an English word when it is written like one
    like_name = pattern("latin" if pattern("chinese").search(text) else "code")
    for match in pattern("token").finditer(plain):
        if like_name.search(match[0]) and not pattern("generic").fullmatch(match[0]):
            names.append(match[0])
        if pattern("id").fullmatch(match[0]):
            # its noun stands after the id before it
            before = plain[max(end, match.start() - _NOUN_CHARACTERS) : match.start()]
            ids.append((nouns(before), match[0]))
            end = match.end()
    phrases = [quoted or code for quoted, code in pattern("phrase").findall(text)]
    return Question(text, _window(text, now), ids, phrases, names)


def _window(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    """Some time around one clock time or from then on, all of a range, or a day."""
    date, since = pattern("date").search(text), pattern("since").search(text)
    clocks = pattern("clock").findall(pattern("date").sub(" ", text))
    with suppress(ValueError):
        day = _day(date[0], now) if date else now
        times = [
            time(int(h) + 12 * bool(late and int(h) < 12), int(m or 0)) for late, h, m in clocks
        ]
        start, *others = [datetime.combine(day, one, now.tzinfo) for one in times or [time()]]
        if others:
            return start, others[-1] + DAY / 2 * (others[-1] < start) + timedelta(seconds=59)
        if clocks:
            return (start, start + DAY) if since else (start - MARGIN, start + MARGIN)
        return (start, start + DAY * (7 if since else 1)) if date else None
    return None


def _day(said: str, now: datetime) -> datetime:
    """The day that a text names, this year without one; ValueError for an impossible one."""
    numbers = [int(number) for number in re.findall(r"\d+", said)]
    if not numbers:
        return now - DAY
    name = re.search("[a-z]{3}", said.lower())
    if month := MONTHS.find(name[0]) + 1 if name else 0:
        numbers = [*numbers[1:], month // 3 + 1, numbers[0]]
    year, month, day = [now.year, *numbers][-3:]
    found = now.replace(year=year + 2000 * (year < 100), month=month, day=day)
    return found.replace(year=year - 1) if found > now and len(numbers) < 3 else found


def read_dialogue(messages: Sequence[BaseMessage]) -> tuple[str, list[Observation]]:
    """The last user turn and every observation after it, in order."""
    last = max(i for i, one in enumerate(messages) if isinstance(one, HumanMessage))
    requests = [c for one in messages[last:] if isinstance(one, AIMessage) for c in one.tool_calls]
    asked = {call["id"]: (call["name"], call["args"].get("input") or {}) for call in requests}
    seen = []
    for message in (one for one in messages[last:] if isinstance(one, ToolMessage)):
        body, call = json.loads(message.text), message.tool_call_id
        scope, found = body.get("scope", {}), body.get("evidence", [])
        # the last piece of a truncated result may be cut, and a summary is no event
        found = found[:-1] if body.get("truncated") and len(found) > 3 else found
        found = [one for one in found if not one["source"].endswith(": summary")]
        facts = [] if "query" in scope else [_fact(call, one, scope) for one in found]
        seen.append(Observation(call, asked[call], "stop_required" in body, facts))
    return messages[last].text, seen


def _fact(call: str, found: dict[str, Any], scope: dict[str, Any]) -> Fact:
    text, value, at = found["text"], None, _NEVER
    with suppress(ValueError, RecursionError):
        value = json.loads(text)
    fields = {k: v for k, v in value.items() if v is not None} if isinstance(value, dict) else {}
    for day, clock, zone in pattern("stamp").findall(text)[:1]:
        with suppress(ValueError, OverflowError):
            at = datetime.fromisoformat(f"{day}T{clock}{zone or 'Z'}").astimezone(UTC)
    if "sql" in scope:
        message = "; ".join(filled(fields, "reason"))
        return Fact(call, found["id"], "", text, fields, message, 2 * bool(message), at)
    named = fields.get("service") or scope.get("service")
    service = str(named or re.sub(r"^.*/|\..*", "", found["source"])).lower()
    message = (filled(fields, "message") or [text])[0].split("\n")[0]
    level = pattern("level").search(text[:_LEVEL_WITHIN])
    rank = (level[1] or level[2])[0].upper() if level else ""
    speaks = int(bool(pattern("failure").search(message)))
    failed = {"": 2 * speaks, "W": speaks}.get(rank, 2 * (rank in "CFSE"))
    return Fact(call, found["id"], service, text, {}, message, failed, at)


def _excerpt(text: str) -> str:
    end = max((match.end() for match in pattern("failure").finditer(text)), default=0)
    start = max(0, min(end + _EXCERPT_CHARACTERS // 4, len(text)) - _EXCERPT_CHARACTERS)
    return text[start : start + _EXCERPT_CHARACTERS].strip()
