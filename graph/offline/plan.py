"""The next bounded query, or none: down the chain of services, to rows of ids, knowledge last."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from graph.offline.findings import Findings
from graph.offline.lexicon import nouns, pattern, words

Query = tuple[str, dict[str, Any]]
_EVENTS, _ROWS, _SECTIONS = 15, 8, 3
_QUESTION_CHARACTERS, _TRACE_ID_CHARACTERS = 300, 30


def next_query(case: Findings) -> Query | None:
    """The first query not asked yet that may narrow the hypothesis."""
    asked = [one.asked for one in case.seen]
    return next((query for query in _queries(case) if query not in asked), None)


def _queries(case: Findings) -> Iterator[Query]:
    question, sources = case.question, case.sources
    if any(one.kind in ("change", "validity") and one.fact.kind == "row" for one in case.links):
        return
    traced = [value for _, value in question.ids if len(value) > _TRACE_ID_CHARACTERS]
    rows = [(sources.sql, {"sql": sql, "limit": _ROWS}) for sql in _statements(case) if sources.sql]
    if case.root or not [*sources.mentioned(question.text), *question.phrases, *traced]:
        yield from rows
    if sources.logs and question.start and not any(f.kind == "row" for f in case.failures):
        end = question.end or question.start
        times = {"start": question.start.isoformat(), "end": end.isoformat()}
        for asked in _log_scopes(case):
            yield sources.logs, {**times, **asked, "limit": _EVENTS}
    yield from rows
    if sources.knowledge and not case.links:
        query = question.text[:_QUESTION_CHARACTERS]
        yield sources.knowledge, {"query": query, "limit": _SECTIONS}


def _log_scopes(case: Findings) -> Iterator[dict[str, str]]:
    """By words where no service is named, down the chain, then who else speaks of the service."""
    question, named = case.question, case.sources.mentioned(case.question.text)
    said = [*question.phrases, *(value for _, value in question.ids)][:1]
    if not named:
        yield from ({"keyword": word} for word in said)
        yield from ({"service": name} for name in question.names[:2] if not said)
    by_word = {case.service(f): "keyword" in one.asked[1] for one in case.seen for f in one.facts}
    yield from ({"service": service} for service in case.chain if service not in by_word)
    if not case.root:
        yield from ({"service": service} for service in case.chain if by_word.get(service))
    yield from ({"keyword": service} for service in named[:1] if not case.failures)


def _statements(case: Findings) -> list[str]:
    """Rows of the ids asked about: what failed; then what changed, ran out or means a code."""
    tables, told = case.sources.tables, any(f.rank > 1 for f in case.failures)
    groups = set(words()["groups"])
    about, grouped, single = nouns(case.question.text) - groups, [], []
    for table, columns in tables.items():
        own = nouns(table.replace("_", " "))
        topic = len(about & (own | {_stem(column) for column in columns}))
        worth = (1 + topic) * bool(_any("reason", columns))
        if told:
            worth = 2 * bool(_any("changed", columns)) + bool(_any("until", columns))
        for before, value in case.question.ids:
            known = columns or [f"{noun}_id" for noun in sorted(before & own)]
            condition = _condition(tables, known, before, value)
            if condition and not before & groups:
                single.append((-topic, table, condition))
            elif condition and worth:
                bounds = _bounds(case, columns)
                grouped.append((-worth, f"SELECT * FROM {table} WHERE {condition}{bounds}"))
    rows, owned = [sql for _, sql in sorted(grouped)], _single(case, sorted(single))
    return [*_codes(case), *owned, *rows] if told else [*rows, *owned]


def _codes(case: Findings) -> Iterator[str]:
    """What the codes in the rows of an id mean, once a failure is known."""
    for fact in (f for f in case.facts if f.kind == "row" and case.failures and case.owned(f)):
        for column, value in fact.row.items():
            for table, columns in case.sources.tables.items():
                key = _any("code", columns)
                if key and isinstance(value, int) and column in table and table not in fact.source:
                    yield f"SELECT * FROM {table} WHERE {key} = {value}"


def _single(case: Findings, holders: list[tuple[int, str, str]]) -> list[str]:
    """How many rows each table holds of an id, asked of all at once; then those rows."""
    counts = (f"(SELECT COUNT(*) FROM {t} WHERE {c}) AS {t}" for _, t, c in holders)
    held = {table for fact in case.counts for table, number in fact.row.items() if number}
    wanted = [one for one in holders if one[1] in held or not case.counts]
    rows = [f"SELECT * FROM {t} WHERE {c}" for _, t, c in wanted]
    return [f"SELECT {', '.join(counts)}", *rows] if len(holders) > 1 else rows


def _condition(
    tables: dict[str, list[str]], columns: list[str], before: set[str], value: str
) -> str:
    """The rows that belong to an id, directly or through the key of another table; or nothing."""
    literal = value if value.isdigit() else "'" + value.replace("'", "''") + "'"
    for key in (c for c in columns if _stem(c) in before):
        return f"{key} = {literal}"
    for other, theirs in tables.items():
        for key in (c for c in theirs if _stem(c) in before and theirs[0] in columns[1:]):
            return f"{theirs[0]} IN (SELECT {theirs[0]} FROM {other} WHERE {key} = {literal})"
    return ""


def _bounds(case: Findings, columns: list[str]) -> str:
    """A group's failures in the time asked about, or its changes up to the onset."""
    when, error, question = _any("when", columns), _any("reason", columns), case.question
    if when and case.onset and _any("changed", columns):
        return f" AND {when} <= {_stamp(case.onset)} ORDER BY {when} DESC"
    if not when or not error or not question.start or not question.end:
        return ""
    span = f"{when} BETWEEN {_stamp(question.start)} AND {_stamp(question.end)}"
    return f" AND {error} IS NOT NULL AND {span} ORDER BY {when}"


def _any(kind: str, columns: list[str]) -> str | None:
    return next((column for column in columns if pattern(kind).search(column)), None)


def _stem(column: str) -> str:
    return re.sub("_(id|no|code|key)$", "", column)


def _stamp(moment: datetime) -> str:
    return f"'{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}'"
