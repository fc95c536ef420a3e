"""What `lookup_knowledge` makes of the scores, metadata and errors of a vector store."""

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

from tests.fakes.embeddings import PairEmbeddings
from tools.evidence import RelevanceLevel, ToolFailure, ToolResult
from tools.knowledge import VectorKnowledgeTool
from tools.knowledge.sections import MAX_SECTION_BYTES


async def lookup(tool: VectorKnowledgeTool, query: str, limit: int = 5) -> ToolResult:
    return await tool.search(tool.Input(query=query, limit=limit))


class Scored(InMemoryVectorStore):
    """Answers with given scores, as its own relevance function gives them."""

    def __init__(self, scored: list[tuple[Document, float]] | Exception) -> None:
        super().__init__(PairEmbeddings())
        self.scored, self.asked = scored, list[dict[str, Any]]()

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        return lambda score: score / 10

    async def asimilarity_search_with_score(
        self, query: str, k: int = 4, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        self.asked.append({"k": k, **kwargs})
        if isinstance(self.scored, Exception):
            raise self.scored
        return self.scored[:k]


def documents(*scores: float, **metadata: Any) -> list[tuple[Document, float]]:
    return [
        (Document(f"text {number}", metadata={"source": f"{number}.md", **metadata}), score)
        for number, score in enumerate(scores)
    ]


async def shown(scored: list[tuple[Document, float]], limit: int = 5, **options: Any) -> list[str]:
    result = await lookup(VectorKnowledgeTool(Scored(scored), **options), "any", limit)
    return [piece.source for piece in result.evidence]


# C5.4
async def test_scores_are_those_of_the_stores_own_relevance_function() -> None:
    assert await shown(documents(9, 5, 4)) == ["0.md", "1.md"]  # 0.4 is under half of 0.9
    assert await shown(documents(0.9)) == []  # 0.09: a coincidence
    assert await shown(documents(5, 4), min_similarity=0.45) == ["0.md"]


# C5.4
async def test_a_score_outside_its_range_is_held_within_and_prints_no_document() -> None:
    assert await shown(documents(30, 6, 4)) == ["0.md", "1.md"]
    assert await shown(documents(-5, float("nan"))) == []


async def test_hits_are_ranked_by_similarity_whatever_their_order() -> None:
    assert await shown(documents(6, 9, 8)) == ["1.md", "2.md", "0.md"]


async def test_more_than_the_limit_is_truncated_and_never_asked_for() -> None:
    store = Scored(documents(9, 9, 9, 9))
    tool = VectorKnowledgeTool(store, search_kwargs={"filter": {"team": "shop"}})
    result = await lookup(tool, "any", limit=3)
    assert (len(result.evidence), result.truncated, result.total) == (3, True, None)
    assert store.asked == [{"k": 4, "filter": {"team": "shop"}}]
    assert (
        await lookup(VectorKnowledgeTool(Scored(documents(9, 9, 9))), "any", 3)
    ).truncated is False


async def test_a_huge_document_is_cut_between_characters_and_a_blank_one_left_out() -> None:
    scored = [(Document("故障处理，" * 5000), 9.0), (Document(" \n"), 9.0)]
    result = await lookup(VectorKnowledgeTool(Scored(scored)), "故障")
    (piece,) = result.evidence
    assert len(piece.text.encode()) <= MAX_SECTION_BYTES
    assert piece.text.endswith("…")
    assert (piece.source, result.truncated) == ("document 1", True)


# C5.4
@pytest.mark.parametrize("key", ["relevanceLevel", "relevance_level"])
@pytest.mark.parametrize(
    ("said", "level"),
    [
        ("DIRECT", RelevanceLevel.DIRECT),
        ("direct", RelevanceLevel.DIRECT),
        (RelevanceLevel.DIRECT, RelevanceLevel.DIRECT),
        ("REFERENCE", RelevanceLevel.REFERENCE),
        ("SURE", RelevanceLevel.REFERENCE),
        (None, RelevanceLevel.REFERENCE),
    ],
)
async def test_the_level_stands_in_the_metadata(
    key: str, said: object, level: RelevanceLevel
) -> None:
    tool = VectorKnowledgeTool(Scored(documents(9, **{key: said})))
    assert (await lookup(tool, "any")).relevance_level is level


# C5.4
@pytest.mark.parametrize(
    ("score", "heading", "options", "level"),
    [
        (8, "Disk full", {"direct_similarity": 0.8}, RelevanceLevel.DIRECT),
        (7.9, "Disk full", {"direct_similarity": 0.8}, RelevanceLevel.REFERENCE),
        (8, "Everything", {"direct_similarity": 0.8}, RelevanceLevel.REFERENCE),
        (8, "Disk full", {}, RelevanceLevel.REFERENCE),
    ],
)
async def test_direct_needs_a_threshold_that_the_team_gave_and_a_hint_in_the_names(
    score: float, heading: str, options: dict[str, Any], level: RelevanceLevel
) -> None:
    tool = VectorKnowledgeTool(Scored(documents(score, heading=heading)), **options)
    assert (await lookup(tool, "disk is full")).relevance_level is level


# C5.4
async def test_a_level_in_the_metadata_is_kept_whatever_the_rule_says() -> None:
    scored = documents(9, heading="Disk full", relevance_level="REFERENCE")
    tool = VectorKnowledgeTool(Scored(scored), direct_similarity=0.5)
    assert (await lookup(tool, "disk full")).relevance_level is RelevanceLevel.REFERENCE


# C4
@pytest.mark.parametrize(
    ("raised", "code", "retryable"),
    [
        (TimeoutError("secret"), "KNOWLEDGE_TIMEOUT", True),
        (ConnectionRefusedError("secret"), "KNOWLEDGE_UNAVAILABLE", True),
        (RuntimeError("secret"), "KNOWLEDGE_STORE_FAILED", False),
    ],
)
async def test_what_a_store_raises_is_told_by_a_code_alone(
    raised: Exception, code: str, retryable: bool
) -> None:
    with pytest.raises(ToolFailure) as failure:
        await lookup(VectorKnowledgeTool(Scored(raised)), "any")
    assert (failure.value.code, failure.value.retryable) == (code, retryable)
    assert failure.value.__cause__ is None
    assert "secret" not in str(failure.value)
