"""`lookup_knowledge` over real LangChain vector stores, in memory and on disk."""

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from tests.fakes.embeddings import SIZE, PairEmbeddings
from tools.evidence import RelevanceLevel, ToolFailure, ToolResult
from tools.knowledge import KnowledgeTool, VectorKnowledgeTool
from tools.knowledge.sections import MAX_SECTION_BYTES
from tools.scope import scope_key

RUNBOOKS = [
    Document(
        "查看 CLIENT LIST，调整 maxclients，Redis 连接数会降下来。",
        metadata={"source": "redis.md", "Header 1": "Redis 连接数打满", "Header 2": "处理"},
    ),
    Document(
        "NTP is not synchronised on the node, so the clock is skewed.",
        metadata={"file_path": "en/clock.md", "heading": "Clock skew", "line": 3},
    ),
    Document("The disk is full: clean old logs.", metadata={"title": "Disk", "page": 2}),
]


async def lookup(tool: VectorKnowledgeTool, query: str, limit: int = 5) -> ToolResult:
    return await tool.search(tool.Input(query=query, limit=limit))


def in_memory(documents: list[Document]) -> tuple[VectorStore, dict[str, Any]]:
    """It has cosines and no relevance function of its own."""
    store = InMemoryVectorStore(PairEmbeddings())
    store.add_documents(documents)
    return store, {"relevance": lambda cosine: max(0.0, cosine)}


@pytest.fixture
def persistent(tmp_path: Path) -> Iterator[Callable[[list[Document]], VectorStore]]:
    """A store on disk, written by one client and opened by another."""
    from langchain_qdrant import QdrantVectorStore
    from qdrant_client import QdrantClient
    from qdrant_client.models import Distance, VectorParams

    clients: list[QdrantClient] = []

    def opened() -> QdrantVectorStore:
        clients.append(QdrantClient(path=str(tmp_path / "vectors")))
        if not clients[-1].collection_exists("runbooks"):
            size = VectorParams(size=SIZE, distance=Distance.COSINE)
            clients[-1].create_collection("runbooks", vectors_config=size)
        return QdrantVectorStore(clients[-1], "runbooks", PairEmbeddings())

    def filled(documents: list[Document]) -> VectorStore:
        opened().add_documents(documents)
        clients[-1].close()
        return opened()

    yield filled
    clients[-1].close()


@pytest.fixture(params=["in memory", "persistent"])
def tool(request: pytest.FixtureRequest) -> VectorKnowledgeTool:
    if request.param == "in memory":
        store, options = in_memory(RUNBOOKS)
        return VectorKnowledgeTool(store, **options)
    return VectorKnowledgeTool(request.getfixturevalue("persistent")(RUNBOOKS))


@pytest.mark.parametrize(
    ("query", "source", "text"),
    [
        ("Redis 连接数 maxclients", "redis.md#处理 (under Redis 连接数打满)", RUNBOOKS[0]),
        ("clock skewed on the node", "en/clock.md#Clock skew (line 3)", RUNBOOKS[1]),
        ("disk full, old logs", "Disk (page 2)", RUNBOOKS[2]),
    ],
)
async def test_the_nearest_document_is_cited_by_its_metadata(
    tool: VectorKnowledgeTool, query: str, source: str, text: Document
) -> None:
    result = await lookup(tool, query)
    assert (result.evidence[0].source, result.evidence[0].text) == (source, text.page_content)


# C5.4
async def test_knowledge_without_a_level_is_reference(tool: VectorKnowledgeTool) -> None:
    result = await lookup(tool, "clock skewed on the node")
    assert result.relevance_level is RelevanceLevel.REFERENCE


async def test_it_is_the_same_tool_to_the_model_as_a_folder(
    tool: VectorKnowledgeTool, tmp_path: Path
) -> None:
    folder = KnowledgeTool(tmp_path)
    assert (tool.name, tool.factual, tool.Input) == (folder.name, False, folder.Input)
    scopes = [each.scope(each.Input(query=" Ｒｅｄｉｓ \n slow ")) for each in (tool, folder)]
    assert scopes[0] == scopes[1] == {"query": "Redis slow", "limit": 5}
    assert scope_key(tool.name, scopes[0]) == scope_key(folder.name, scopes[1])


async def test_searches_at_the_same_time_agree(tool: VectorKnowledgeTool) -> None:
    results = await asyncio.gather(*(lookup(tool, "disk full") for _ in range(6)))
    assert all(result == results[0] for result in results)


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


# C5.4
async def test_a_store_without_a_relevance_function_needs_one() -> None:
    store, _ = in_memory(RUNBOOKS)
    with pytest.raises(ToolFailure) as failure:
        await lookup(VectorKnowledgeTool(store), "disk")
    assert (failure.value.code, failure.value.retryable) == ("KNOWLEDGE_UNSCORED", False)


async def test_an_empty_store_is_an_empty_result() -> None:
    store, options = in_memory([])
    result = await lookup(VectorKnowledgeTool(store, **options), "disk")
    assert (result.evidence, result.relevance_level, result.truncated) == ([], None, False)


def test_importing_it_loads_no_store() -> None:
    code = (
        "import sys, tools.knowledge;"
        "sys.exit(any(m in sys.modules for m in ('langchain_core', 'numpy', 'qdrant_client')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
