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
from tools.scope import scope_key

# qdrant-client leaves a connection of its own to the collector, which newer Pythons warn of
pytestmark = pytest.mark.filterwarnings("ignore:unclosed database:ResourceWarning")
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
