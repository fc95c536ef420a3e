"""What MCP servers answer, over both transports, as evidence; failures as codes (C4, C5)."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.fakes.mcp_shop import BINARY, LINES
from tests.sources.foreign_tools import ask
from tests.sources.mcp_servers import free_port, over_http, over_stdio, plugged, running_shop
from tools.binding import function_schema
from tools.evidence import EvidenceTool, ToolFailure
from tools.requests import PreparedRequest, prepare_request

MIB = 1_048_576


@pytest.fixture(scope="module")
def shop_url() -> Iterator[str]:
    with running_shop() as url:
        yield url


@pytest.fixture(params=["stdio", "http"])
def section(request: pytest.FixtureRequest) -> Any:
    if request.param == "stdio":
        return over_stdio
    url = request.getfixturevalue("shop_url")
    return lambda *tools, **more: over_http(url, *tools, **more)


@pytest.fixture
def tool(shop_url: str, request: pytest.FixtureRequest) -> EvidenceTool[Any]:
    (made,) = plugged(over_http(shop_url, request.param))
    return made


async def code(tool: EvidenceTool[Any], **arguments: Any) -> tuple[str, bool]:
    with pytest.raises(ToolFailure) as caught:
        await ask(tool, **arguments)
    assert str(caught.value) == caught.value.code
    assert caught.value.__suppress_context__
    return caught.value.code, caught.value.retryable


async def test_rows_come_as_evidence_over_either_transport(section: Any) -> None:
    (tool,) = plugged(section("query_logs", factual=True))
    result = await ask(tool, query="no such words", limit=1)
    assert [piece.text for piece in result.evidence] == []
    result = await ask(tool, query=" 连接 ", level="ERROR")
    (piece,) = result.evidence
    assert LINES[1] in piece.text
    assert "ERROR" in piece.text
    assert tool.factual
    # C5.3: what is sent is the scope; an argument that has a default is filled in
    request = tool.Input.model_validate({"query": " 连接 "})
    assert tool.scope(request) == {"query": "连接", "limit": 2, "level": None}


async def test_the_model_is_shown_its_own_typed_envelope(shop_url: str) -> None:
    # C2: previous_observation beside the tool's own input
    (tool,) = plugged(over_http(shop_url, "query_logs"))
    function = function_schema(tool)["function"]
    assert function["name"] == "shop_query_logs"
    assert function["description"] == "Log lines of the shop."
    shown = function["parameters"]["properties"]["input"]
    assert shown["properties"]["query"]["description"] == "Words that a line holds"
    assert shown["required"] == ["query"]


@pytest.mark.parametrize("tool", ["echo"], indirect=True)
async def test_no_argument_is_lost_for_its_name(tool: EvidenceTool[Any]) -> None:
    # C5.3: the adapter runs exactly its scope, also where a model has a member of that name
    given = {"config": " c ", "runtime": "r", "run_manager": "m", "copy": " d "}
    prepared = prepare_request(tool, given)
    assert isinstance(prepared, PreparedRequest)
    assert prepared.scope == {"config": "c", "runtime": "r", "run_manager": "m", "copy": "d"}
    result = await tool.search(prepared.request)
    assert result.evidence[0].text == "c|r|m|d"


@pytest.mark.parametrize("tool", ["mixed"], indirect=True)
async def test_text_is_kept_with_its_place_and_nothing_else_is_dumped(
    tool: EvidenceTool[Any],
) -> None:
    result = await ask(tool)
    assert [(piece.source, piece.text) for piece in result.evidence] == [
        ("shop_mixed #1", "a line"),
        ("file:///notes.txt", "a note"),
    ]
    assert result.truncated
    assert BINARY not in str(result)


@pytest.mark.parametrize("tool", ["structured"], indirect=True)
async def test_structured_content_alone_is_read_and_says_that_it_is_cut(
    tool: EvidenceTool[Any],
) -> None:
    result = await ask(tool)
    assert [piece.text for piece in result.evidence] == ['{"line": "one"}']
    assert (result.truncated, result.total) == (True, None)


@pytest.mark.parametrize("tool", ["nothing"], indirect=True)
async def test_nothing_is_an_empty_result(tool: EvidenceTool[Any]) -> None:
    result = await ask(tool)
    assert (result.evidence, result.truncated, result.total) == ([], False, 0)


@pytest.mark.parametrize("tool", ["huge"], indirect=True)
async def test_a_huge_answer_is_cut_between_characters(tool: EvidenceTool[Any]) -> None:
    result = await ask(tool, characters=MIB)
    assert result.evidence[0].text == "日" * (MIB // 3)
    assert result.truncated


@pytest.mark.parametrize(
    ("tool", "failure"),
    [("broken", "TOOL_FAILED"), ("picture", "TOOL_RESULT_UNREADABLE")],
    indirect=["tool"],
)
async def test_failures_are_codes(tool: EvidenceTool[Any], failure: str) -> None:
    assert await code(tool) == (failure, False)


async def test_a_server_that_dies_in_a_call_is_there_again_at_the_next() -> None:
    dies, logs = plugged(over_stdio("dies", "query_logs"))
    assert await code(dies) == ("TOOL_UNAVAILABLE", True)
    assert (await ask(logs, query="pool")).total == 1


async def test_a_server_that_is_restarted_is_reached_again() -> None:
    port = free_port()
    with running_shop(port) as url:
        (logs,) = plugged(over_http(url, "query_logs"))
    assert await code(logs, query="pool") == ("TOOL_UNAVAILABLE", True)
    with running_shop(port):
        assert (await ask(logs, query="pool")).total == 1
