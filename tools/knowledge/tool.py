"""`lookup_knowledge`: a folder of Markdown as an evidence source that is never factual (C6.2)."""

import asyncio
from pathlib import Path

from tools.evidence import Evidence, ToolFailure, ToolResult
from tools.knowledge.library import Holdings, KnowledgeLibrary
from tools.knowledge.lookup import (
    PURPOSE,
    KnowledgeInput,
    KnowledgeLookup,
    level_of_all,
    source_name,
    worth_showing,
)
from tools.knowledge.ranking import Hit
from tools.knowledge.relevance import relevance_level

CONSIDERED_HITS = 50

_MAX_DESCRIPTION_CHARS = 1_200
_MAX_TITLE_CHARS = 60


class KnowledgeTool(KnowledgeLookup):
    """Ranked full-text search over the sections of the Markdown files below `folder`.

    The index is built on first use, in a private file below `index_folder`; without one it is
    temporary. The files are read when they are needed, never on construction.
    """

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
            return PURPOSE

    async def search(self, request: KnowledgeInput) -> ToolResult:
        """The sections that match best. `total` counts those that match about as well as the best
        (at most `CONSIDERED_HITS`). Raises `ToolFailure`, codes in `tools.knowledge`."""
        found = await asyncio.to_thread(self._library.search, request.query, limit=CONSIDERED_HITS)
        hits = worth_showing(found)
        shown = hits[: request.limit]
        return ToolResult(
            evidence=[Evidence(_source(hit), hit.section.text) for hit in shown],
            relevance_level=level_of_all(
                relevance_level(hit.similarity, hint_share=hit.hint_share) for hit in shown
            ),
            truncated=len(hits) > len(shown),
            total=len(hits),
        )


def _source(hit: Hit) -> str:
    """`runbooks/redis.md#Fix (line 12, under Redis)`; `part 2` for the second piece of a line."""
    section = hit.section
    place = [f"line {section.line}"]
    if section.part > 1:
        place.append(f"part {section.part}")
    if section.ancestors:
        place.append(f"under {' > '.join(section.ancestors)}")
    return source_name(hit.path, section.heading, place)


def _description(holdings: Holdings) -> str:
    skipped = f" {holdings.skipped} files could not be read." if holdings.skipped else ""
    text = f"{PURPOSE} {len(holdings.titles)} documents, {holdings.sections} sections.{skipped}"
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
