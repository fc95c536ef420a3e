"""`lookup_knowledge` over a LangChain `VectorStore`: the team's own store, embeddings and chunks.

    similarity    the store's relevance function (`similarity_search_with_relevance_scores`), held
                  within 0 to 1; for a store without one, `relevance` says how its score reads
    level         `relevanceLevel` or `relevance_level` in a hit's metadata; else DIRECT when
                  `direct_similarity` is given and reached and the hit's file name, title and
                  headings share a quarter of the query's words; else REFERENCE (C5.4)
    source        file, headings, line and page from the metadata that LangChain's loaders and
                  splitters write

| code | meaning |
|---|---|
| `KNOWLEDGE_TIMEOUT`, `KNOWLEDGE_UNAVAILABLE` | no answer in time, no connection; may be retried |
| `KNOWLEDGE_UNSCORED` | the store has no relevance function and none was given |
| `KNOWLEDGE_STORE_FAILED` | anything else it raised; its text never leaves this module (C4) |
"""

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tools.evidence import Evidence, RelevanceLevel, ToolFailure, ToolResult
from tools.knowledge.chunks import Block, chunked
from tools.knowledge.lookup import (
    MIN_SIMILARITY,
    PURPOSE,
    KnowledgeInput,
    KnowledgeLookup,
    level_of_all,
    source_name,
    worth_showing,
)
from tools.knowledge.relevance import DIRECT_HINT_SHARE, weigh
from tools.knowledge.sections import MAX_SECTION_BYTES
from tools.knowledge.terms import query_terms, text_terms

if TYPE_CHECKING:
    from langchain_core.documents import Document
    from langchain_core.vectorstores import VectorStore

_LEVEL_KEYS = ("relevanceLevel", "relevance_level")
_FILE_KEYS = ("source", "file_path", "path", "file_name", "filename", "url", "uri")
_HEADING_KEYS = ("heading", "section", *(f"Header {level}" for level in range(6, 0, -1)))
"""The innermost first; `Header 1` is what `MarkdownHeaderTextSplitter` is usually told to write."""


@dataclass(frozen=True, slots=True)
class _VectorHit:
    """A document that the store found; `similarity` from 0 to 1."""

    document: "Document"
    similarity: float

    @property
    def metadata(self) -> Mapping[str, Any]:
        return self.document.metadata


class VectorKnowledgeTool(KnowledgeLookup):
    """Knowledge from `store`, asked through its asynchronous methods.

    `description`: what the model is told that it holds. `min_similarity`, `direct_similarity`:
    from 0 to 1; what they should be depends on the embeddings. `relevance`: from the store's own
    score to 0–1, for a store that has no relevance function. `search_kwargs`: what every search
    passes to the store, such as a filter.
    """

    def __init__(
        self,
        store: "VectorStore",
        *,
        description: str = PURPOSE,
        min_similarity: float = MIN_SIMILARITY,
        direct_similarity: float | None = None,
        relevance: Callable[[float], float] | None = None,
        search_kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        self.description = description
        self._store = store
        self._min_similarity = min_similarity
        self._direct_similarity = direct_similarity
        self._relevance = relevance
        self._search_kwargs = dict(search_kwargs or {})
        # a score outside 0 to 1 makes LangChain print every document that was found; `_held` holds
        # it within, and texts are for the boundary alone
        warnings.filterwarnings("ignore", message="Relevance scores must be between")

    async def search(self, request: KnowledgeInput) -> ToolResult:
        """The documents that come nearest. Raises `ToolFailure`, codes in this module."""
        try:
            # one more than is shown tells whether there are more
            found = await self._scored(request.query, request.limit + 1)
        except Exception as error:  # noqa: BLE001 - a foreign store's own; only its kind is told
            raise _failure(error) from None
        hits = [_VectorHit(document, _held(score)) for document, score in found]
        hits = [hit for hit in hits if hit.document.page_content.strip()]
        hits.sort(key=lambda hit: -hit.similarity)
        hits = worth_showing(hits, min_similarity=self._min_similarity)
        shown = hits[: request.limit]
        evidence = [
            Evidence(_source(hit, number), _bounded(hit.document.page_content))
            for number, hit in enumerate(shown, start=1)
        ]
        is_cut = any(
            piece.text != hit.document.page_content
            for piece, hit in zip(evidence, shown, strict=True)
        )
        return ToolResult(
            evidence=evidence,
            relevance_level=level_of_all(self._level(hit, request.query) for hit in shown),
            truncated=len(hits) > len(shown) or is_cut,
        )

    async def _scored(self, query: str, count: int) -> Sequence[tuple["Document", float]]:
        if self._relevance is None:
            return await self._store.asimilarity_search_with_relevance_scores(
                query, k=count, **self._search_kwargs
            )
        found = await self._store.asimilarity_search_with_score(
            query, k=count, **self._search_kwargs
        )
        return [(document, self._relevance(score)) for document, score in found]

    def _level(self, hit: _VectorHit, query: str) -> RelevanceLevel:
        for key in _LEVEL_KEYS:
            said = str(hit.metadata.get(key, "")).upper()
            if said in RelevanceLevel.__members__:
                return RelevanceLevel(said)
        if self._direct_similarity is None or hit.similarity < self._direct_similarity:
            return RelevanceLevel.REFERENCE
        names = (*_headings(hit.metadata), hit.metadata.get("title"), _file(hit.metadata))
        hints = text_terms(" ".join(str(name) for name in names if name))
        share = weigh(query_terms(query), {}, sections=1).share(set(hints))
        return RelevanceLevel.DIRECT if share >= DIRECT_HINT_SHARE else RelevanceLevel.REFERENCE


def _held(score: float) -> float:
    """Within 0 to 1; what is no number is 0."""
    return 0.0 if math.isnan(score) else min(1.0, max(0.0, float(score)))


def _bounded(text: str) -> str:
    """At most `MAX_SECTION_BYTES`, cut as a section of a folder is."""
    if len(text.encode("utf-8", "replace")) <= MAX_SECTION_BYTES:
        return text
    return chunked([Block(1, tuple(text.split("\n")))], max_bytes=MAX_SECTION_BYTES)[0].text


def _source(hit: _VectorHit, number: int) -> str:
    headings = _headings(hit.metadata)
    place = [f"{key} {at}" for key in ("line", "page") if (at := hit.metadata.get(key)) is not None]
    if headings[1:]:
        place.append(f"under {' > '.join(reversed(headings[1:]))}")
    named = _file(hit.metadata) or hit.metadata.get("title") or hit.document.id
    return source_name(str(named or f"document {number}"), next(iter(headings), ""), place)


def _headings(metadata: Mapping[str, Any]) -> list[str]:
    """The innermost first."""
    return [str(metadata[key]) for key in _HEADING_KEYS if metadata.get(key)]


def _file(metadata: Mapping[str, Any]) -> str | None:
    return next((str(metadata[key]) for key in _FILE_KEYS if metadata.get(key)), None)


def _failure(error: Exception) -> ToolFailure:
    match error:
        case TimeoutError():
            return ToolFailure("KNOWLEDGE_TIMEOUT", retryable=True)
        case OSError():
            return ToolFailure("KNOWLEDGE_UNAVAILABLE", retryable=True)
        case NotImplementedError():
            return ToolFailure("KNOWLEDGE_UNSCORED", retryable=False)
        case _:
            return ToolFailure("KNOWLEDGE_STORE_FAILED", retryable=False)
