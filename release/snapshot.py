"""What a run has verified when collection ends: facts from canonical records, and gaps (C6).

Objective and bounded: source, actual scope, how much, truncation. No model text, no keys.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from release.vocabulary import stable_code
from tools.evidence import EvidenceStatus, RelevanceLevel
from tools.invocations import InvocationRecord, InvocationStatus

MAX_FACTS = 40
MAX_SOURCES_PER_FACT = 5
_UNNAMED_FAILURE = "SOURCE_FAILED"


class GapKind(StrEnum):
    """Why something that was tried is no fact."""

    SOURCE_FAILED = "SOURCE_FAILED"
    UNFINISHED = "UNFINISHED"
    UNREADABLE = "UNREADABLE"
    NOT_LISTED = "NOT_LISTED"


@dataclass(frozen=True, slots=True)
class Gap:
    """A limitation of what was collected. `tool` and `error_code` only from this run's records."""

    kind: GapKind
    tool: str = ""
    error_code: str = ""


@dataclass(frozen=True, slots=True)
class CheckedFact:
    """One finished check of this run: where, in which scope, how much of how much, nothing else.

    `shown` counts evidence items without the source's own summary; `total` is the source's count of
    matches where it knows it. `sources` are the first distinct places the evidence stands in.
    """

    tool: str
    scope: Mapping[str, Any]
    found: bool
    shown: int
    total: int | None
    truncated: bool
    factual: bool
    reference_only: bool
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProgressSnapshot:
    """Projected once. `facts` in execution order, at most `MAX_FACTS`; `records` holds every READY
    record of this run by its tool call id, for the guards to check citations against."""

    facts: tuple[CheckedFact, ...]
    limitations: tuple[Gap, ...]
    stop_reason: str | None
    records: Mapping[str, InvocationRecord]

    @property
    def verified(self) -> bool:
        """Verified progress: at least one READY record of this run, empty results included."""
        return bool(self.records)


def project_snapshot(
    keys: Sequence[str],
    found: Mapping[str, InvocationRecord | None],
    *,
    run_id: str,
    stop_reason: str | None,
) -> ProgressSnapshot:
    """The snapshot of the records named by `keys`, in that order; without a usable record: a gap.

    `found` holds what the store answered now: None (or nothing) for a record that is gone or for a
    store that could not be read.
    """
    ready: dict[str, InvocationRecord] = {}
    gaps: list[Gap] = []
    for key in dict.fromkeys(keys):
        record = found.get(key)
        if record is None or not _is_own(record, key, run_id, ready):
            gaps.append(Gap(GapKind.UNREADABLE))
        elif record["status"] == InvocationStatus.READY:
            ready[record["tool_call_id"]] = record
        else:
            gaps.append(_gap(record))
    facts = tuple(_fact(record) for record in list(ready.values())[:MAX_FACTS])
    if len(ready) > MAX_FACTS:
        gaps.append(Gap(GapKind.NOT_LISTED))
    return ProgressSnapshot(
        facts=facts,
        limitations=tuple(dict.fromkeys(gaps)),
        stop_reason=stop_reason,
        records=MappingProxyType(ready),
    )


def _is_own(
    record: InvocationRecord, key: str, run_id: str, ready: Mapping[str, InvocationRecord]
) -> bool:
    """Whether the record is of this run and key, under an id that no other record answers to."""
    owned = record["run_id"] == run_id and record["key"] == key
    return owned and record["tool_call_id"] not in ready


def _gap(record: InvocationRecord) -> Gap:
    if record["status"] == InvocationStatus.ERROR:
        code = stable_code(record["error_code"], _UNNAMED_FAILURE)
        return Gap(GapKind.SOURCE_FAILED, record["tool"], code)
    return Gap(GapKind.UNFINISHED, record["tool"])


def _fact(record: InvocationRecord) -> CheckedFact:
    summary = f"{record['tool']}: summary"
    sources = [item["source"] for item in record["evidence"] if item["source"] != summary]
    return CheckedFact(
        tool=record["tool"],
        scope=record["scope"],
        found=record["evidence_status"] != EvidenceStatus.NO_EVIDENCE,
        shown=len(sources),
        total=record["total"],
        truncated=record["truncated"],
        factual=record["factual"],
        reference_only=record["relevance_level"] == RelevanceLevel.REFERENCE,
        sources=tuple(dict.fromkeys(sources))[:MAX_SOURCES_PER_FACT],
    )
