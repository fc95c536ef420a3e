"""Tools that a team loads with `langchain-mcp-adapters` itself, wrapped by `as_evidence_tool`."""

import sys
from typing import Any

import pytest
from langchain_core.tools import BaseTool
from langchain_mcp_adapters.client import MultiServerMCPClient

from tests.fakes.mcp_shop import LINES
from tests.sources.foreign_tools import ask, failure
from tests.sources.mcp_servers import SHOP
from tools.adapters import as_evidence_tool


@pytest.fixture
async def shop() -> dict[str, BaseTool]:
    connection: Any = {
        "transport": "stdio",
        "command": sys.executable,
        "args": [str(SHOP), "stdio"],
    }
    tools = await MultiServerMCPClient({"shop": connection}).get_tools()
    return {tool.name: tool for tool in tools}


async def test_rows_failures_and_rights(shop: dict[str, BaseTool]) -> None:
    result = await ask(as_evidence_tool(shop["query_logs"]), query="pool")
    assert LINES[0] in result.evidence[0].text
    assert (await failure(shop["broken"])).code == "TOOL_FAILED"
    assert (await failure(shop["dies"])).code == "TOOL_UNAVAILABLE"
    with pytest.raises(ValueError, match="restart may change data"):
        as_evidence_tool(shop["restart"])
    with pytest.raises(ValueError, match="passes on no argument named config"):
        as_evidence_tool(shop["echo"])
