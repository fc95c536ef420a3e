"""How close a section is to a query, from 0 to 1, and when that makes it DIRECT (C5.4).

    weight of a term    ln(1 + sections / sections with the term); an unseen term counts as half one
    similarity          the share of the query's weight whose terms stand in the section, title,
                        headings and file name included; without any, 0: no match
    hint share          the same of title, headings and file name alone
    DIRECT              similarity and hint share reach their thresholds below; else REFERENCE

A pair of characters that is unseen beside one that is seen is a word boundary, not a missing word:
it has no weight. These numbers stay inside the tool.
"""

import math
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from tools.evidence import RelevanceLevel
from tools.knowledge.terms import is_unspaced

DIRECT_SIMILARITY = 0.6
DIRECT_HINT_SHARE = 0.25
_UNSEEN_COUNT = 0.5


@dataclass(frozen=True, slots=True)
class QueryWeights:
    """What each term of a query weighs in the indexed sections."""

    weights: Mapping[str, float]

    def share(self, found: Set[str]) -> float:
        """How much of the query's weight the terms `found` carry."""
        total = sum(self.weights.values())
        covered = sum(weight for term, weight in self.weights.items() if term in found)
        return covered / total if total else 0.0


def weigh(
    runs: Iterable[tuple[str, ...]], section_counts: Mapping[str, int], sections: int
) -> QueryWeights:
    """Weights for a query, given in how many of `sections` each of its terms stands."""
    return QueryWeights(
        {
            term: math.log1p(sections / (section_counts.get(term) or _UNSEEN_COUNT))
            for run in runs
            for at, term in enumerate(run)
            if not _is_word_boundary(run, at, section_counts)
        }
    )


def relevance_level(similarity: float, *, hint_share: float) -> RelevanceLevel:
    """The level of one hit."""
    if similarity >= DIRECT_SIMILARITY and hint_share >= DIRECT_HINT_SHARE:
        return RelevanceLevel.DIRECT
    return RelevanceLevel.REFERENCE


def _is_word_boundary(run: tuple[str, ...], at: int, section_counts: Mapping[str, int]) -> bool:
    if section_counts.get(run[at]) or not is_unspaced(run[at]):
        return False
    return any(section_counts.get(term) for term in run[max(0, at - 1) : at + 2])
