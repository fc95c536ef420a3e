"""A checked fact as a sentence: tool, scope in words with its time zone, how much came (C6.3)."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from release.plain_text import one_line
from release.snapshot import CheckedFact
from release.vocabulary import Language
from release.wording import WORDINGS, Wording

MAX_VALUE_CHARACTERS = 160
MAX_SCOPE_CHARACTERS = 480
# said in the window, or of no use to a reader
_WINDOW = ("start", "end", "timezone")
_UNSAID = frozenset({*_WINDOW, "limit", "around"})


def fact_sentence(fact: CheckedFact, language: Language) -> str:
    """One bounded line without control characters; counts of matches and of what was retrieved."""
    words = WORDINGS[language]
    return words.fact.format(
        tool=one_line(fact.tool, MAX_VALUE_CHARACTERS),
        scope=scope_in_words(fact.scope, language),
        result=words.list_separator.join(_result(fact, words)),
    )


def scope_in_words(scope: Mapping[str, Any], language: Language) -> str:
    """The conditions that are set, in the scope's own order after the window; bounded."""
    words = WORDINGS[language]
    parts = [*_window(scope, words), *_conditions(scope, words)]
    return one_line(words.list_separator.join(parts) or words.whole_scope, MAX_SCOPE_CHARACTERS)


def _result(fact: CheckedFact, words: Wording) -> Iterator[str]:
    if not fact.found:
        yield words.nothing_found
    elif fact.total is not None and fact.total > fact.shown:
        yield words.found_of.format(shown=fact.shown, total=fact.total)
    else:
        yield words.found.format(shown=fact.shown)
    if fact.truncated:
        yield words.truncated
    if fact.found and not fact.factual:
        yield words.reference_only if fact.reference_only else words.general_knowledge


def _window(scope: Mapping[str, Any], words: Wording) -> Iterator[str]:
    if not ("start" in scope or "end" in scope):
        return
    start, end = scope.get("start"), scope.get("end")
    zone = scope.get("timezone")
    if not (start or end):
        yield words.any_time
        return
    template = words.between if start and end else words.since if start else words.until
    yield template.format(start=_moment(start, zone, words), end=_moment(end, zone, words))
    if zone and zone != "UTC":
        yield words.asked_zone.format(_value(zone))


def _moment(value: Any, zone: Any, words: Wording) -> str:
    """A time with its zone: UTC by name, an offset by number, a naive one with what is known."""
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return _value(value)
    if moment.tzinfo is None:
        return f"{moment:%Y-%m-%d %H:%M:%S} {_value(zone or words.zone_unknown)}"
    if moment.utcoffset() == UTC.utcoffset(None):
        return f"{moment:%Y-%m-%d %H:%M:%S} UTC"
    return moment.isoformat(" ", "seconds")


def _conditions(scope: Mapping[str, Any], words: Wording) -> Iterator[str]:
    known = {
        "query": words.query,
        "service": words.service,
        "level": words.level,
        "keyword": words.keyword,
        "sql": words.sql,
    }
    for name, value in scope.items():
        if name in _UNSAID or value is None or value == "":
            continue
        if name in known:
            yield known[name].format(_value(value))
        else:
            yield f"{_value(name)}={_value(value)}"


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return one_line(text, MAX_VALUE_CHARACTERS)
