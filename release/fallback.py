"""The bounded result of a run without a root cause; made from records, without a model (C6.3)."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from pydantic import BaseModel, ConfigDict

from release.facts import MAX_VALUE_CHARACTERS, fact_sentence
from release.plain_text import one_line
from release.snapshot import CheckedFact, Gap, GapKind, ProgressSnapshot
from release.vocabulary import FallbackType, Language, StopReason
from release.wording import WORDINGS, Wording

MAX_SOURCES = 20
MAX_LIMITATIONS = 20
MAX_NEXT_STEPS = 10


class SafeFallback(BaseModel):
    """What was checked and found, where, what limits it, and what to do next; each list bounded."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: FallbackType
    observed_facts: list[str]
    verified_sources: list[str]
    limitations: list[str]
    next_steps: list[str]


def build_fallback(
    kind: FallbackType,
    snapshot: ProgressSnapshot,
    *,
    language: Language,
    missing_info: Sequence[str] = (),
    false_citations: bool = False,
    could_not_check: bool = False,
) -> SafeFallback:
    """The fallback in the question's language. Of a draft it takes `missing_info`, nothing else.

    `could_not_check`: a technical fault kept the conclusion unchecked; never said as missing
    evidence (C6).
    """
    words = WORDINGS[language]
    support = words.could_not_check if could_not_check else words.no_support
    limitations = _limitations(kind, snapshot, missing_info, false_citations, support, words)
    return SafeFallback(
        type=kind,
        observed_facts=observed_facts(snapshot, language),
        verified_sources=verified_sources(snapshot),
        limitations=_distinct(limitations, MAX_LIMITATIONS),
        next_steps=_distinct(_next_steps(kind, snapshot, missing_info, words), MAX_NEXT_STEPS),
    )


def observed_facts(snapshot: ProgressSnapshot, language: Language) -> list[str]:
    """One sentence a finished check, in execution order."""
    return [fact_sentence(fact, language) for fact in snapshot.facts]


def verified_sources(snapshot: ProgressSnapshot) -> list[str]:
    """`tool: place` for what was found, the tool alone where nothing matched; distinct, bounded."""
    return _distinct((line for fact in snapshot.facts for line in _sources(fact)), MAX_SOURCES)


def _sources(fact: CheckedFact) -> list[str]:
    tool = one_line(fact.tool, MAX_VALUE_CHARACTERS)
    places = [f"{tool}: {one_line(source, MAX_VALUE_CHARACTERS)}" for source in fact.sources]
    return places or [tool]


def _limitations(
    kind: FallbackType,
    snapshot: ProgressSnapshot,
    missing_info: Sequence[str],
    false_citations: bool,
    support: str,
    words: Wording,
) -> Iterator[str]:
    if kind is FallbackType.OUT_OF_SCOPE:
        yield words.out_of_scope
        return
    if kind is FallbackType.INSUFFICIENT_EVIDENCE:
        yield support
    if not snapshot.facts:
        yield words.nothing_checked
    if snapshot.stop_reason in set(StopReason):
        yield words.stop[StopReason(snapshot.stop_reason)]
    yield from (words.missing.format(item) for item in missing_info)
    yield from (_gap_sentence(gap, words) for gap in snapshot.limitations)
    if false_citations:
        yield words.false_citations
    yield from _limits_of(snapshot.facts, words)


def _limits_of(facts: Sequence[CheckedFact], words: Wording) -> Iterator[str]:
    found = [fact for fact in facts if fact.found]
    if len(found) < len(facts):
        yield words.empty_results
    if any(fact.truncated for fact in facts):
        yield words.truncated_results
    if found and not any(fact.factual for fact in found):
        yield words.knowledge_only


def _gap_sentence(gap: Gap, words: Wording) -> str:
    tool = one_line(gap.tool, MAX_VALUE_CHARACTERS)
    return words.gap[gap.kind].format(tool=tool, code=gap.error_code)


def _next_steps(
    kind: FallbackType, snapshot: ProgressSnapshot, missing_info: Sequence[str], words: Wording
) -> Iterator[str]:
    if kind is FallbackType.OUT_OF_SCOPE:
        yield words.ask_about_fault
        return
    yield from (words.give.format(item) for item in missing_info)
    if kind is FallbackType.MISSING_REQUIRED_CONTEXT:
        return
    for gap in snapshot.limitations:
        if gap.kind is GapKind.SOURCE_FAILED:
            yield words.restore_source.format(tool=one_line(gap.tool, MAX_VALUE_CHARACTERS))
    if any(fact.truncated for fact in snapshot.facts):
        yield words.narrower_scope
    if any(not fact.found for fact in snapshot.facts):
        yield words.other_scope
    if not missing_info:
        yield words.more_detail if snapshot.facts else words.give_context


def _distinct(lines: Iterable[str], at_most: int) -> list[str]:
    return list(islice(dict.fromkeys(lines), at_most))
