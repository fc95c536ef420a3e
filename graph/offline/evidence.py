"""The dialogue read back: each piece of evidence with its time, weight and names."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from graph.offline.lexicon import pattern

_AT = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)[.,]?(\d{,6})\d*\s?(Z|[+-]\d\d:?\d\d)?")
_RANKS = {"F": 3, "C": 3, "S": 3, "E": 2, "W": 1}
_EXCERPT_CHARACTERS, _LEVEL_WITHIN = 240, 300


@dataclass(frozen=True)
class Fact:
    """One piece of evidence: an `event` of a log, a `row` of a database, or a `text`.

    `message` is what an event says or what went wrong in a row; `rank` 3 fatal, 2 a failure, 1 a
    warning or a failed state without a reason, 0 neither; `at` its first full time, UTC without a
    zone; `names` the endpoints, hosts, code names and keys in the message, not bare error numbers.
    """

    call: str
    id: str
    source: str
    text: str
    kind: str
    asked_service: str | None

    @cached_property
    def row(self) -> dict[str, Any]:
        value = None
        with suppress(ValueError, RecursionError):
            value = json.loads(self.text)
        return value if isinstance(value, dict) else {}

    def filled(self, columns: str) -> list[str]:
        """The values that stand in columns of a kind that the vocabulary names."""
        known = pattern(columns)
        return [str(v) for k, v in self.row.items() if v is not None and known.search(k)]

    @cached_property
    def message(self) -> str:
        if self.kind == "row":
            return "; ".join(self.filled("reason") or self.filled("status"))
        return (self.filled("message") or [self.text])[0].split("\n")[0]

    @cached_property
    def rank(self) -> int:
        level = pattern("level").search(self.text[:_LEVEL_WITHIN])
        if self.kind == "event" and level:
            return _RANKS.get((level[1] or level[2])[0].upper(), 0)
        reason = self.kind == "event" or self.filled("reason")
        failed = pattern("failure").search(" ".join(self.filled("status")) or self.message)
        return (2 if reason else 1) if failed else 0

    @cached_property
    def at(self) -> datetime | None:
        for day, clock, fraction, zone in _AT.findall(self.text)[:1]:
            with suppress(ValueError, OverflowError):
                stamp = f"{day}T{clock}.{fraction:0<6}{zone.replace('Z', '') or '+00:00'}"
                return datetime.fromisoformat(stamp).astimezone(UTC)
        return None

    @property
    def names(self) -> set[str]:
        return {n for n in pattern("name").findall(self.message) if not re.fullmatch("E[A-Z]+", n)}

    def quote(self, wanted: str) -> str:
        """A verbatim part of the text without credentials, around `wanted`."""
        return _excerpt(max(_open(self.text), key=lambda part: (wanted in part, len(part))), wanted)

    def said(self, wanted: str) -> str:
        """The message without credentials, around `wanted`."""
        return _excerpt(" … ".join(_open(self.message)), wanted)


def _excerpt(text: str, wanted: str) -> str:
    """A bounded part: around `wanted`, else up to where the text last says that it failed."""
    ends = [match.end() for match in pattern("failure").finditer(text)]
    end = text.find(wanted) + len(wanted) if wanted and wanted in text else max(ends, default=0)
    start = max(0, min(end + _EXCERPT_CHARACTERS // 4, len(text)) - _EXCERPT_CHARACTERS)
    start = text.find(" ", start) + 1 if start else 0
    return text[start : start + _EXCERPT_CHARACTERS].strip()


def _open(text: str) -> list[str]:
    return [part for part in pattern("secret").split(text) if part.strip()]


@dataclass(frozen=True)
class Observation:
    """One answered tool call: what was asked and what came back."""

    call: str
    asked: tuple[str, dict[str, Any]]
    stop: bool
    facts: list[Fact]


def read_dialogue(messages: Sequence[BaseMessage]) -> tuple[str, list[Observation]]:
    """The last user turn and every observation after it, in order."""
    last = max(i for i, one in enumerate(messages) if isinstance(one, HumanMessage))
    requests = [c for one in messages[last:] if isinstance(one, AIMessage) for c in one.tool_calls]
    asked = {call["id"]: (call["name"], call["args"].get("input") or {}) for call in requests}
    answers = [one for one in messages[last:] if isinstance(one, ToolMessage)]
    return messages[last].text, [_observed(one, asked[one.tool_call_id]) for one in answers]


def _observed(message: ToolMessage, asked: tuple[str, dict[str, Any]]) -> Observation:
    body, call = json.loads(message.text), message.tool_call_id
    scope, found = body.get("scope", {}), body.get("evidence", [])
    kind = "row" if "sql" in scope else "event" if "keyword" in scope else "text"
    # the last piece of a truncated result may be cut
    found = found[:-1] if body.get("truncated") and len(found) > 3 else found
    place = kind, scope.get("service")
    facts = [Fact(call, one["id"], one["source"], one["text"], *place) for one in found]
    return Observation(call, asked, "stop_required" in body, facts)
