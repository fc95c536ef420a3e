"""What foreign tools answer, as evidence: documents, rows, blocks, JSON; empty; relevance."""

from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.tools import BaseTool

from tests.sources.foreign_tools import answering, answering_mcp, ask, block, failure, found
from tools.adapters import as_evidence_tool
from tools.adapters.results import MAX_TEXT_BYTES
from tools.evidence import RelevanceLevel

DOCUMENTS = [
    Document("Pool exhausted", metadata={"source": "runbook.md"}),
    Document("连接池", metadata={}),
]


@pytest.mark.parametrize(
    ("base_tool", "evidence"),
    [
        (answering("the pool is full"), [("search #1", "the pool is full")]),
        (answering(["one", "two"]), [("search #1", "one"), ("search #2", "two")]),
        (answering(42), [("search #1", "42")]),
        (answering(DOCUMENTS), [("runbook.md", "Pool exhausted"), ("search #2", "连接池")]),
        (answering([(DOCUMENTS[0], 0.83)]), [("runbook.md", "Pool exhausted")]),
        (
            answering([{"text": "a", "metadata": {"url": "u"}}, {"content": "b", "score": 0.5}]),
            [("u", "a"), ("search #2", "b")],
        ),
        (
            answering({"results": [{"page_content": "a", "title": "t"}], "took_ms": 3}),
            [("t", "a")],
        ),
        (answering({"status": "FAILED", "n": 3}), [("search #1", '{"status": "FAILED", "n": 3}')]),
        (answering('[{"text": "a", "id": 7}, "b"]'), [("7", "a"), ("search #2", "b")]),
        (answering('{"hits": [{"n": 1}]}'), [("search #1", '{"n": 1}')]),
        (answering('{"n":  1}'), [("search #1", '{"n":  1}')]),  # kept as it is written
        (answering("{not json"), [("search #1", "{not json")]),
        (answering_mcp([block("a"), block("b")]), [("search #1", "a"), ("search #2", "b")]),
        (answering_mcp([block('{"result": [{"text": "a"}]}')]), [("search #1", "a")]),
        (
            answering_mcp([{"type": "resource", "resource": {"uri": "file:///x", "text": "a"}}]),
            [("file:///x", "a")],
        ),
        (answering_mcp("rendered", DOCUMENTS[:1]), [("runbook.md", "Pool exhausted")]),
        (answering_mcp([block("a")], {"structured_content": {"x": 1}}), [("search #1", "a")]),
        (answering({"content": [block("a")], "isError": False}), [("search #1", "a")]),
        # MCP's structured content is read where there is no text beside it
        (
            answering_mcp([], {"structured_content": {"data": [{"x": 1}]}}),
            [("search #1", '{"x": 1}')],
        ),
        (
            answering_mcp([], {"structured_content": {"result": ["a", "b"]}}),
            [("search #1", "a"), ("search #2", "b")],
        ),
        # of several lists that an answer wraps, the one that holds something
        (
            answering({"data": [], "streams": [{"n": 1}], "hints": ["h"]}),
            [("search #1", '{"n": 1}')],
        ),
        (
            answering({"data": [1], "streams": [2]}),
            [("search #1", '{"data": [1], "streams": [2]}')],
        ),
        # one row of many may say that something failed: that is what was looked for
        (
            answering([{"success": False, "n": 1}, {"success": True, "n": 2}]),
            [
                ("search #1", '{"success": false, "n": 1}'),
                ("search #2", '{"success": true, "n": 2}'),
            ],
        ),
    ],
)
async def test_answers_become_evidence(base_tool: BaseTool, evidence: list[Any]) -> None:
    assert await found(base_tool) == evidence


@pytest.mark.parametrize(
    "base_tool",
    [
        *(answering(empty) for empty in (None, "", "  \n", [], {}, "[]", "{}", "null")),
        *(answering({"results": []}) for _ in range(1)),
        answering('{"success": true, "results": []}'),
        answering_mcp([]),
        answering_mcp([block("")]),
        answering_mcp("", []),
        answering({"content": [], "isError": False}),
        answering_mcp([], {"structured_content": {"result": None}}),
        answering_mcp([block("[]")], {"structured_content": {"result": []}}),
        answering({"resultType": "vector", "result": [], "links": [{"href": "x"}]}),
    ],
)
async def test_nothing_found_is_an_empty_result(base_tool: BaseTool) -> None:
    result = await ask(as_evidence_tool(base_tool))
    assert (result.evidence, result.relevance_level, result.truncated) == ([], None, False)


@pytest.mark.parametrize(
    "answer",
    [
        {"data": [{"n": 1}], "metadata": {"resultsTruncated": True}},
        {"metrics": ["up"], "has_more": True},
        '{"results": [{"n": 1}], "truncated": true}',
    ],
)
async def test_an_answer_that_says_it_is_cut_is_truncated(answer: Any) -> None:
    result = await ask(as_evidence_tool(answering(answer)))
    assert (result.truncated, result.total, len(result.evidence)) == (True, None, 1)


async def test_more_text_than_anybody_looks_at_is_cut() -> None:
    result = await ask(as_evidence_tool(answering(["日" * MAX_TEXT_BYTES, "y"])))
    assert [piece.text for piece in result.evidence] == ["日" * (MAX_TEXT_BYTES // 3)]
    assert (result.truncated, result.total) == (True, 2)


async def test_binary_content_of_a_resource_is_not_dumped() -> None:
    dump = {"type": "resource", "resource": {"uri": "file:///x", "blob": "Y2FuYXJ5"}}
    assert (await failure(answering_mcp([dump]))).code == "TOOL_RESULT_UNREADABLE"


async def test_what_is_not_text_beside_text_is_left_out_and_said() -> None:
    result = await ask(as_evidence_tool(answering_mcp([block("a"), {"type": "image", "url": "x"}])))
    assert [piece.text for piece in result.evidence] == ["a"]
    assert result.truncated


def hit(**metadata: Any) -> Document:
    return Document("x", metadata=metadata)


@pytest.mark.parametrize(
    ("base_tool", "level"),
    [
        # C5.4: either key, of a hit or of the answer; without one REFERENCE
        (answering([hit(relevanceLevel="DIRECT")]), "DIRECT"),
        (answering([hit(relevance_level="direct")]), "DIRECT"),
        (answering([hit(relevance_level=RelevanceLevel.DIRECT)]), "DIRECT"),
        (answering([hit(relevanceLevel="REFERENCE"), hit(relevanceLevel="DIRECT")]), "DIRECT"),
        (answering([hit(relevanceLevel="REFERENCE")]), "REFERENCE"),
        (answering([hit(relevanceLevel="VERY_DIRECT")]), "REFERENCE"),
        (answering([hit(score=0.99)]), "REFERENCE"),
        (answering("plain"), "REFERENCE"),
        (answering([{"text": "a", "relevanceLevel": "DIRECT"}]), "DIRECT"),
        (answering([{"text": "a", "metadata": {"relevance_level": "DIRECT"}}]), "DIRECT"),
        (answering('{"relevance_level": "DIRECT", "results": [{"text": "a"}]}'), "DIRECT"),
        (answering_mcp("a", {"relevanceLevel": "DIRECT"}), "DIRECT"),
        (answering_mcp("a", {"relevanceLevel": "DIRECT", "documents": [hit()]}), "DIRECT"),
        (answering_mcp("a", [hit(relevance_level="DIRECT")]), "DIRECT"),
    ],
)
async def test_relevance_is_read_from_hits_and_artifact(base_tool: BaseTool, level: str) -> None:
    result = await ask(as_evidence_tool(base_tool))
    assert result.relevance_level == level
    factual = await ask(as_evidence_tool(base_tool, factual=True))
    assert factual.relevance_level is None
