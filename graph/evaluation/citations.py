"""Citations against the canonical records: that each quote stands there, and what must be cited."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graph.evaluation.cases import EvidenceHint
from tools.invocations import EvidenceItem, InvocationRecord

_LINES = re.compile(
    r"(?P<file>[^#]+?):(?P<first>\d+)(?:-(?P<last>\d+))?(?P<any>\s*\(any line.*\))?$"
)
_ROW = re.compile(r"[^#]+#(?P<table>\w+)\.(?P<column>\w+)=(?P<value>.*)$")


@dataclass(frozen=True, slots=True)
class Cited:
    """A released citation and the recorded evidence it names, if there is such evidence."""

    quote: str
    item: EvidenceItem | None

    @property
    def true(self) -> bool:
        """Whether the quote stands verbatim in the record."""
        return self.item is not None and bool(self.quote) and self.quote in self.item["text"]


def cited(
    analysis: Iterable[Mapping[str, Any]], records: Sequence[InvocationRecord]
) -> list[Cited]:
    """Every citation of a release, looked up anew in the records of its run."""
    items = {
        (record["tool_call_id"], item["id"]): item
        for record in records
        for item in record["evidence"]
    }
    return [
        Cited(one["quote"], items.get((one["tool_call_id"], one["evidence_id"])))
        for claim in analysis
        for one in claim["citations"]
    ]


def missing_citations(
    wanted: Iterable[str], found: Sequence[Cited], hints: Sequence[EvidenceHint]
) -> list[str]:
    """What must be cited and no true citation covers.

    `file:line` and `file:first-last` want a line of that range, with "(any line matching …)" one
    that a hint for the file matches; `db/x.sql#table.column=value` a row of the table that shows
    the value; anything else a source that starts with that path.
    """
    items = [one.item for one in found if one.true and one.item is not None]
    return [place for place in wanted if not any(_covers(item, place, hints) for item in items)]


def _covers(item: EvidenceItem, place: str, hints: Sequence[EvidenceHint]) -> bool:
    if row := _ROW.match(place):
        return _shows(item, row["table"], row["column"], row["value"])
    lines = _LINES.match(place)
    if lines is None:
        return _below_root(place) in item["source"]
    file, first = lines["file"], int(lines["first"])
    path, _, span = item["source"].rpartition(":")
    if path != _below_root(file) or not re.fullmatch(r"\d+(-\d+)?", span):
        return False
    start, _, end = span.partition("-")
    inside = int(start) <= int(lines["last"] or first) and int(end or start) >= first
    patterns = [hint.regex for hint in hints if hint.file == file and lines["any"]]
    return inside and all(re.search(pattern, item["text"]) for pattern in patterns)


def _shows(item: EvidenceItem, table: str, column: str, value: str) -> bool:
    if not re.search(rf"\b{re.escape(table)}\b", item["source"]):
        return False
    try:
        row = json.loads(item["text"])
    except ValueError:
        return False
    return isinstance(row, dict) and column in row and str(row[column]) == value


def _below_root(path: str) -> str:
    """A path as tools name it: below `logs/` or `knowledge/`."""
    return re.sub(r"^(?:logs|knowledge)/", "", path)
