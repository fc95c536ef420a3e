"""LangChain tools as other people write them, and how a test asks them."""

from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool

from tools.adapters import as_evidence_tool
from tools.evidence import EvidenceTool, ToolFailure, ToolResult


def answering(answer: Any, **kwargs: Any) -> BaseTool:
    """A tool that answers this, whatever it is asked."""

    async def search(q: str = "") -> Any:
        return answer

    return StructuredTool.from_function(
        coroutine=search, name="search", description="Searches.", **kwargs
    )


def answering_mcp(content: Any, artifact: Any = None) -> BaseTool:
    """As MCP tools come: a JSON schema for arguments, content blocks, an artifact beside them."""

    async def call(**arguments: Any) -> Any:
        return content, artifact

    return StructuredTool(
        name="search",
        description="Searches.",
        args_schema={"type": "object", "properties": {}},
        coroutine=call,
        response_format="content_and_artifact",
    )


def raising(error: BaseException, **kwargs: Any) -> BaseTool:
    async def search(q: str = "") -> str:
        raise error

    return StructuredTool.from_function(
        coroutine=search, name="search", description="Searches.", **kwargs
    )


async def ask(tool: EvidenceTool[Any], **arguments: Any) -> ToolResult:
    request = tool.Input.model_validate(arguments)
    return await tool.search(tool.Input.model_validate(tool.scope(request)))


async def found(base_tool: BaseTool) -> list[tuple[str, str]]:
    result = await ask(as_evidence_tool(base_tool))
    assert result.total == len(result.evidence)
    return [(piece.source, piece.text) for piece in result.evidence]


async def failure(base_tool: BaseTool) -> ToolFailure:
    with pytest.raises(ToolFailure) as caught:
        await ask(as_evidence_tool(base_tool))
    assert str(caught.value) == caught.value.code
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return caught.value


def block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
