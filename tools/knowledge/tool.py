"""`lookup_knowledge`: a folder of Markdown as an evidence source that is never factual (C6.2)."""

import asyncio
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from tools.evidence import Evidence, EvidenceTool, RelevanceLevel, ToolFailure, ToolResult
from tools.knowledge.library import Holdings, KnowledgeLibrary
from tools.knowledge.ranking import Hit
from tools.knowledge.relevance import relevance_level
from tools.scope import canonical_keyword

MAX_QUERY_CHARS = 500
CONSIDERED_HITS = 50
MIN_SIMILARITY = 0.1
"""Below a tenth of the query's weight a shared word is a coincidence."""
LEADING_SHARE = 0.5
"""A hit that covers less than this share of what the best-ranked one covers is left out."""

_MAX_DESCRIPTION_CHARS = 1_200
_MAX_TITLE_CHARS = 60
_MAX_SOURCE_PART_CHARS = 90
_PURPOSE = (
    "Searches the team's runbooks and reference documents (Markdown) by keywords, Chinese or"
    " English. Returns sections that tell how things usually behave and what to check: general"
    " knowledge, never what happened in this incident."
)


class KnowledgeInput(BaseModel):
    """What the model may ask."""

    model_config = ConfigDict(extra="forbid")

    query: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_QUERY_CHARS)
    ] = Field(description="Keywords: component, error text or code, symptom.")
    limit: int = Field(default=5, ge=1, le=10, description="How many sections at most.")


class KnowledgeTool(EvidenceTool[KnowledgeInput]):
    """Ranked full-text search over the sections of the Markdown files below `folder`.

    The index is built on first use, in a private file below `index_folder`; without one it is
    temporary. The files are read when they are needed, never on construction.
    """

    Input: ClassVar[type[BaseModel]] = KnowledgeInput
    name = "lookup_knowledge"
    factual = False

    def __init__(self, folder: Path, *, index_folder: Path | None = None) -> None:
        self._library = KnowledgeLibrary(folder, index_folder)

    @property
    def description(self) -> str:  # type: ignore[override]  # computed: it tells what the folder holds
        """What can be looked up, at most 1,500 characters; in general words when it cannot be read.

        The first access reads the folder (blocking), later ones tell what the last search saw.
        """
        try:
            return _description(self._library.holdings or self._library.refresh())
        except ToolFailure:
            return _PURPOSE

    def scope(self, request: KnowledgeInput) -> dict[str, Any]:
        """Query folded as a keyword (C5.3), limit kept."""
        query = canonical_keyword(request.query)[:MAX_QUERY_CHARS].strip()
        return {"query": query, "limit": request.limit}

    async def search(self, request: KnowledgeInput) -> ToolResult:
        """The sections that match best. `total` counts those that match about as well as the best
        (at most `CONSIDERED_HITS`). Raises `ToolFailure`, codes in `tools.knowledge`."""
        found = await asyncio.to_thread(self._library.search, request.query, limit=CONSIDERED_HITS)
        hits = _worth_showing(found)
        shown = hits[: request.limit]
        return ToolResult(
            evidence=[Evidence(_source(hit), hit.section.text) for hit in shown],
            relevance_level=_level(shown),
            truncated=len(hits) > len(shown),
            total=len(hits),
        )


def _worth_showing(hits: list[Hit]) -> list[Hit]:
    """The hits that are no coincidence beside the best-ranked one."""
    if not hits:
        return []
    least = max(MIN_SIMILARITY, LEADING_SHARE * hits[0].similarity)
    return [hit for hit in hits if hit.similarity >= least]


def _level(hits: list[Hit]) -> RelevanceLevel | None:
    """DIRECT when one of the hits is; None without any."""
    levels = {relevance_level(hit.similarity, hint_share=hit.hint_share) for hit in hits}
    if RelevanceLevel.DIRECT in levels:
        return RelevanceLevel.DIRECT
    return RelevanceLevel.REFERENCE if levels else None


def _source(hit: Hit) -> str:
    """`runbooks/redis.md#Fix (line 12, under Redis)`; `part 2` for the second piece of a line."""
    section = hit.section
    heading = f"#{_shortened(section.heading)}" if section.heading else ""
    place = [f"line {section.line}"]
    if section.part > 1:
        place.append(f"part {section.part}")
    if section.ancestors:
        place.append(f"under {_shortened(' > '.join(section.ancestors))}")
    return f"{hit.path}{heading} ({', '.join(place)})"


def _description(holdings: Holdings) -> str:
    skipped = f" {holdings.skipped} files could not be read." if holdings.skipped else ""
    text = f"{_PURPOSE} {len(holdings.titles)} documents, {holdings.sections} sections.{skipped}"
    titles = list(dict.fromkeys(" ".join(title.split()) for title in holdings.titles))
    listed: list[str] = []
    for title in titles:
        short = title[:_MAX_TITLE_CHARS]
        if len(text) + sum(len(other) + 2 for other in [*listed, short]) > _MAX_DESCRIPTION_CHARS:
            break
        listed.append(short)
    if not listed:
        return text
    others = len(titles) - len(listed)
    more = f"; and {others} more" if others else ""
    return f"{text} Documents: {'; '.join(listed)}{more}."


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_SOURCE_PART_CHARS else f"{text[: _MAX_SOURCE_PART_CHARS - 1]}…"
