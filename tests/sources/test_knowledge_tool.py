"""`lookup_knowledge` as the boundary uses it: results, citations, scope, failures."""

import asyncio
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import ValidationError

from tools.evidence import RelevanceLevel, ToolFailure, ToolResult
from tools.knowledge import KnowledgeTool
from tools.scope import scope_key

RUNBOOKS = {
    "redis.md": (
        "# Redis 连接数打满\n\n## 现象\n\nERR max number of clients reached\n\n"
        "## 处理\n\n查看 `CLIENT LIST`，调整 maxclients。\n"
    ),
    "en/disk.md": "# Disk full\n\nRun `df -h`, then clean old logs from the volume.\n",
    "en/clock.md": "# Clock skew\n\nNTP is not synchronised on the node.\n",
    "tenant.md": "# 切换企业失败\n\n令牌里的企业编号和会话不一致时，切换企业会返回 403。\n",
    "trap.md": "# Everything\n\nIf anything is slow or down, 报错, 失败, 超时, it is the pool.\n",
}


def folder_with(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


async def lookup(tool: KnowledgeTool, query: str, limit: int = 5) -> ToolResult:
    return await tool.search(tool.Input(query=query, limit=limit))


@pytest.fixture
def tool(tmp_path: Path) -> KnowledgeTool:
    return KnowledgeTool(folder_with(tmp_path, RUNBOOKS))


@pytest.mark.parametrize(
    ("query", "source"),
    [
        ("切换企业报 403", "tenant.md#切换企业失败 (line 1)"),
        ("skewed clocks", "en/clock.md#Clock skew (line 1)"),  # other forms of a word match
        ("maxclients", "redis.md#处理 (line 7, under Redis 连接数打满)"),
        ("令", "tenant.md#切换企业失败 (line 1)"),  # a single character is a query too
        ("ＮＴＰ　ｎｏｄｅ", "en/clock.md#Clock skew (line 1)"),
    ],
)
async def test_chinese_and_english_queries_find_the_section(
    tool: KnowledgeTool, query: str, source: str
) -> None:
    result = await lookup(tool, query)
    assert result.evidence[0].source == source


async def test_evidence_is_the_text_of_the_section(tool: KnowledgeTool) -> None:
    result = await lookup(tool, "maxclients")
    assert result.evidence[0].text == "## 处理\n\n查看 `CLIENT LIST`，调整 maxclients。"
    assert (result.total, result.truncated) == (1, False)


async def test_what_does_not_match_is_never_returned(tool: KnowledgeTool) -> None:
    for query in ("如何烤面包", "football world cup", "！！", "怎么办", '" OR * NEAR('):
        result = await lookup(tool, query)
        assert (result.evidence, result.relevance_level, result.total) == ([], None, 0)


# C5.4
async def test_relevance_is_direct_when_headings_share_the_query(tool: KnowledgeTool) -> None:
    assert (await lookup(tool, "切换企业失败")).relevance_level is RelevanceLevel.DIRECT
    assert (await lookup(tool, "会话令牌编号")).relevance_level is RelevanceLevel.REFERENCE
    generic = await lookup(tool, "slow 报错 超时")
    assert generic.evidence[0].source.startswith("trap.md")
    assert generic.relevance_level is RelevanceLevel.REFERENCE


# C4
async def test_scores_never_leave_the_tool(tool: KnowledgeTool) -> None:
    result = await lookup(tool, "切换企业失败")
    assert {field for field in dir(result) if not field.startswith("_")} == {
        "evidence",
        "relevance_level",
        "truncated",
        "total",
    }
    assert tool.factual is False


async def test_documents_in_conflict_are_both_cited_each_by_its_path(tmp_path: Path) -> None:
    files = {"new.md": "# Redis 连接数\n调整 maxclients\n", "old/a.md": "# Redis 连接数\n重启\n"}
    result = await lookup(KnowledgeTool(folder_with(tmp_path, files)), "Redis 连接数")
    assert {e.source.split("#")[0] for e in result.evidence} == {"new.md", "old/a.md"}


async def test_more_matches_than_the_limit_are_counted(tmp_path: Path) -> None:
    files = {f"{n}.md": f"# Broker {n}\nThe broker restarts.\n" for n in range(7)}
    result = await lookup(KnowledgeTool(folder_with(tmp_path, files)), "broker", limit=3)
    assert (len(result.evidence), result.total, result.truncated) == (3, 7, True)
    assert [e.source for e in result.evidence] == [f"{n}.md#Broker {n} (line 1)" for n in range(3)]


async def test_a_hit_far_behind_the_best_is_a_coincidence(tmp_path: Path) -> None:
    files = {
        "lag.md": "# Lag\nconsumer group rebalance stalls the partition\n",
        "half.md": "# Half\nconsumer group\n",
        "far.md": "# Far\nthe partition table of a disk\n",
    }
    tool = KnowledgeTool(folder_with(tmp_path, files))
    result = await lookup(tool, "consumer group rebalance partition")
    assert result.evidence[0].source == "lag.md#Lag (line 1)"
    assert "far.md#Far (line 1)" not in [e.source for e in result.evidence]
    assert (await lookup(tool, "partition")).total == 2


async def test_equal_hits_stand_in_path_order_whenever_they_were_indexed(tmp_path: Path) -> None:
    tool = KnowledgeTool(folder_with(tmp_path, {"b.md": "broker\n"}))
    await lookup(tool, "broker")
    folder_with(tmp_path, {"a.md": "broker\n"})
    result = await lookup(tool, "broker")
    assert [e.source for e in result.evidence] == ["a.md (line 1)", "b.md (line 1)"]


async def test_one_row_of_a_huge_table_is_found_with_its_header(tmp_path: Path) -> None:
    rows = "\n".join(f"| E{n:05} | meaning {n} |" for n in range(2000))
    files = {"codes.md": f"# Codes\n\n| code | meaning |\n|---|---|\n{rows}\n"}
    result = await lookup(KnowledgeTool(folder_with(tmp_path, files)), "E01234")
    assert len(result.evidence) == 1
    assert "| code | meaning |" in result.evidence[0].text
    assert "| E01234 | meaning 1234 |" in result.evidence[0].text


# C5.3
def test_equal_queries_have_equal_scopes(tool: KnowledgeTool) -> None:
    def key(query: str, **more: int) -> str:
        return scope_key(tool.name, tool.scope(tool.Input(query=query, **more)))

    assert tool.scope(tool.Input(query=" Ｒｅｄｉｓ \n slow ")) == {
        "query": "Redis slow",
        "limit": 5,
    }
    assert key("redis  slow") == key(" redis slow ", limit=5)
    assert key("redis slow") != key("redis slow", limit=6)
    assert key("redis slow") != key("slow redis")


# C5.3
def test_a_scope_is_always_a_valid_request(tool: KnowledgeTool) -> None:
    longest = tool.scope(tool.Input(query="ﷺ" * 500))  # grows eighteenfold under NFKC
    assert tool.scope(tool.Input.model_validate(longest)) == longest


# C2.2
@pytest.mark.parametrize(
    "values",
    [
        {},
        {"query": "  "},
        {"query": "x" * 501},
        {"query": "x", "limit": 0},
        {"query": "x", "limit": 11},
        {"query": "x", "folder": "/etc"},
    ],
)
def test_malformed_requests_are_refused(tool: KnowledgeTool, values: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        tool.Input.model_validate(values)


async def test_an_empty_folder_is_an_empty_result(tmp_path: Path) -> None:
    assert (await lookup(KnowledgeTool(tmp_path), "redis")).evidence == []


async def test_a_missing_folder_is_a_failure_not_an_empty_result(tmp_path: Path) -> None:
    with pytest.raises(ToolFailure) as failure:
        await lookup(KnowledgeTool(tmp_path / "absent"), "redis")
    assert (failure.value.code, failure.value.retryable) == ("KNOWLEDGE_FOLDER_MISSING", False)


async def test_a_folder_of_nothing_readable_is_a_failure(tmp_path: Path) -> None:
    tool = KnowledgeTool(folder_with(tmp_path, {"a.md": b"\xff\xfe\xff"}))
    with pytest.raises(ToolFailure) as failure:
        await lookup(tool, "redis")
    assert failure.value.code == "KNOWLEDGE_UNREADABLE"


async def test_a_broken_index_is_a_failure_and_the_next_search_builds_anew(
    tool: KnowledgeTool,
) -> None:
    await lookup(tool, "redis")
    index = tool._library._index
    assert index is not None
    index._connection.close()
    with pytest.raises(ToolFailure) as failure:
        await lookup(tool, "redis")
    assert (failure.value.code, failure.value.retryable) == ("KNOWLEDGE_INDEX_FAILED", True)
    assert (await lookup(tool, "redis")).evidence


def test_the_description_tells_what_there_is_and_stays_short(tmp_path: Path) -> None:
    files = {f"{n}.md": f"# Service number {n} {'long ' * 30}\ntext\n" for n in range(200)}
    description = KnowledgeTool(folder_with(tmp_path, {**files, "bad.md": b"\xff"})).description
    assert "200 documents, 200 sections" in description
    assert "1 files could not be read" in description
    assert "Service number 0" in description
    assert "more" in description
    assert len(description) < 1500


def test_the_description_does_not_fail_with_the_folder(tmp_path: Path) -> None:
    assert "runbooks" in KnowledgeTool(tmp_path / "absent").description


async def test_searches_at_the_same_time_agree(tool: KnowledgeTool) -> None:
    results = await asyncio.gather(*(lookup(tool, "切换企业失败") for _ in range(8)))
    assert all(result == results[0] for result in results)


def test_importing_the_source_loads_no_parser_and_reads_no_folder() -> None:
    code = (
        "import sys, tools.knowledge as k, pathlib; k.KnowledgeTool(pathlib.Path('/absent'));"
        "sys.exit(any(m in sys.modules for m in ('markdown_it', 'yaml')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
