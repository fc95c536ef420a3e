"""What every `lookup_knowledge` is, whatever stands behind it: its request, scope and cut-off."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, ClassVar, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from tools.evidence import EvidenceTool, RelevanceLevel
from tools.scope import canonical_keyword

MAX_QUERY_CHARS = 500
MIN_SIMILARITY = 0.1
"""Below a tenth of the query's weight a shared word is a coincidence."""
LEADING_SHARE = 0.5
"""A hit that covers less than this share of what the best-ranked one covers is left out."""

PURPOSE = (
    "Search runbooks and reference documents: how things usually behave and"
    " what to check, never what happened in this incident."
)
_MAX_SOURCE_PART_CHARS = 90


class KnowledgeInput(BaseModel):
    """Keywords: component, error text or code, symptom."""

    model_config = ConfigDict(extra="forbid")

    query: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_QUERY_CHARS)
    ]
    limit: int = Field(default=5, ge=1, le=10)


class KnowledgeLookup(EvidenceTool[KnowledgeInput]):
    """Knowledge under its one name; never factual (C6.2)."""

    Input: ClassVar[type[BaseModel]] = KnowledgeInput
    name = "lookup_knowledge"
    factual = False

    def scope(self, request: KnowledgeInput) -> dict[str, Any]:
        """Query folded as a keyword (C5.3), limit kept."""
        query = canonical_keyword(request.query)[:MAX_QUERY_CHARS].strip()
        return {"query": query, "limit": request.limit}


class _Scored(Protocol):
    @property
    def similarity(self) -> float: ...


_Hit = TypeVar("_Hit", bound=_Scored)


def worth_showing(hits: Sequence[_Hit], *, min_similarity: float = MIN_SIMILARITY) -> list[_Hit]:
    """The hits that are no coincidence beside the best-ranked one, which stands first."""
    if not hits:
        return []
    least = max(min_similarity, LEADING_SHARE * hits[0].similarity)
    return [hit for hit in hits if hit.similarity >= least]


def level_of_all(levels: Iterable[RelevanceLevel]) -> RelevanceLevel | None:
    """DIRECT when one of the hits is; None without any (C5.4)."""
    kept = set(levels)
    if RelevanceLevel.DIRECT in kept:
        return RelevanceLevel.DIRECT
    return RelevanceLevel.REFERENCE if kept else None


def source_name(path: str, heading: str, place: Sequence[str]) -> str:
    """`runbooks/redis.md#Fix (line 12, under Redis)`: what a citation says of where it stands."""
    anchor = f"#{_shortened(heading)}" if heading else ""
    told = ", ".join(_shortened(part) for part in place)
    return f"{path}{anchor} ({told})" if told else f"{path}{anchor}"


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_SOURCE_PART_CHARS else f"{text[: _MAX_SOURCE_PART_CHARS - 1]}…"
