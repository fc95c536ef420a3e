"""Searching the index: BM25 ranks the sections, `relevance` says how close each one is.

BM25's own numbers have no upper end and change with the folder, so they order hits and go no
further. A heading counts three times a word of the text, a title or outer heading twice.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tools.knowledge.relevance import weigh
from tools.knowledge.sections import Section
from tools.knowledge.terms import is_unspaced, query_terms

MAX_QUERY_TERMS = 128
_BM25 = "bm25(terms, 2.0, 3.0, 1.0)"
_TITLE_COLUMNS = "{title heading}"


@dataclass(frozen=True, slots=True)
class Hit:
    """A section that matches, with the shares of the query's weight (0–1) that it covers:
    `similarity` with all its text, `hint_share` with its headings, title and file name alone."""

    path: str
    section: Section
    similarity: float
    hint_share: float


def ranked_hits(
    connection: sqlite3.Connection, query: str, *, sections: int, limit: int
) -> list[Hit]:
    """The best by BM25 of so many `sections`, at most `limit`; equal ranks in path, line order."""
    runs = _bounded(query_terms(query))
    patterns = {term: _pattern(term) for run in runs for term in run}
    if not patterns:
        return []
    ids = _ranked_ids(connection, patterns.values(), limit)
    found = _found(connection, patterns, ids)
    hinted = _found(
        connection, {term: f"{_TITLE_COLUMNS} : {p}" for term, p in patterns.items()}, ids
    )
    weights = weigh(runs, _section_counts(connection, patterns), sections)
    hits: list[tuple[float, Hit]] = []
    for section_id, rank in ids.items():
        path, section = _section(connection, section_id)
        similarity = weights.share(found[section_id])
        hint_share = weights.share(hinted[section_id])
        hits.append((rank, Hit(path, section, similarity, hint_share)))
    hits.sort(key=lambda hit: (hit[0], hit[1].path, hit[1].section.line, hit[1].section.part))
    return [hit for _, hit in hits]


def _bounded(runs: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The leading `MAX_QUERY_TERMS` terms."""
    kept: list[tuple[str, ...]] = []
    left = MAX_QUERY_TERMS
    for run in runs:
        if left <= 0:
            break
        kept.append(run[:left])
        left -= len(run)
    return kept


def _pattern(term: str) -> str:
    """A term as FTS5 writes it; terms hold letters and digits only, so quotes never end early."""
    return f'"{term}"*' if is_unspaced(term) and len(term) == 1 else f'"{term}"'


def _ranked_ids(
    connection: sqlite3.Connection, patterns: Iterable[str], limit: int
) -> dict[int, float]:
    rows = connection.execute(
        f"SELECT rowid, {_BM25} AS rank FROM terms WHERE terms MATCH ? ORDER BY 2, 1 LIMIT ?",
        (" OR ".join(patterns), limit),
    )
    return dict(rows.fetchall())


def _found(
    connection: sqlite3.Connection, patterns: Mapping[str, str], ids: Iterable[int]
) -> dict[int, set[str]]:
    """Which of the patterns each of these sections matches."""
    found: dict[int, set[str]] = {section_id: set() for section_id in ids}
    wanted = json.dumps(list(found))
    for term, pattern in patterns.items():
        rows = connection.execute(
            "SELECT rowid FROM terms WHERE terms MATCH ?"
            " AND rowid IN (SELECT value FROM json_each(?))",
            (pattern, wanted),
        )
        for (section_id,) in rows:
            found[section_id].add(term)
    return found


def _section_counts(connection: sqlite3.Connection, patterns: Mapping[str, str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for term, pattern in patterns.items():
        (counts[term],) = connection.execute(
            "SELECT count(*) FROM terms WHERE terms MATCH ?", (pattern,)
        ).fetchone()
    return counts


def _section(connection: sqlite3.Connection, section_id: int) -> tuple[str, Section]:
    path, heading, ancestors, line, part, text = connection.execute(
        "SELECT path, heading, ancestors, line, part, text FROM sections WHERE id = ?",
        (section_id,),
    ).fetchone()
    return path, Section(heading, tuple(json.loads(ancestors)), line, part, text)
