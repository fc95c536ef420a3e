"""Foreign tools behind the boundary: failures as codes, nothing heard around them, no writing."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import ToolMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel

from tests.sources.foreign_tools import answering, answering_mcp, ask, block, failure, raising
from tools.adapters import as_evidence_tool
from tools.evidence import ToolFailure


def http_status(status: int) -> httpx.HTTPStatusError:
    asked = httpx.Request("GET", "https://example.com/canary-7f3a")
    return httpx.HTTPStatusError(
        "canary-7f3a", request=asked, response=httpx.Response(status, request=asked)
    )


@pytest.mark.parametrize(
    ("base_tool", "code", "retryable"),
    [
        (raising(ToolException("canary-7f3a")), "TOOL_FAILED", False),
        (raising(ToolException("canary-7f3a"), handle_tool_error=True), "TOOL_FAILED", False),
        (raising(RuntimeError("canary-7f3a")), "TOOL_FAILED", False),
        (raising(ExceptionGroup("canary-7f3a", [ValueError("x")])), "TOOL_FAILED", False),
        (
            raising(ExceptionGroup("canary-7f3a", [ExceptionGroup("x", [OSError("y")])])),
            "TOOL_UNAVAILABLE",
            True,
        ),
        (raising(httpx.ConnectError("canary-7f3a")), "TOOL_UNAVAILABLE", True),
        (raising(httpx.ReadTimeout("canary-7f3a")), "TOOL_TIMEOUT", True),
        (raising(http_status(401)), "TOOL_ACCESS_REFUSED", False),
        (raising(http_status(404)), "TOOL_FAILED", False),
        (raising(http_status(503)), "TOOL_UNAVAILABLE", True),
        (raising(TimeoutError("canary-7f3a")), "TOOL_TIMEOUT", True),
        (raising(ConnectionRefusedError("canary-7f3a")), "TOOL_UNAVAILABLE", True),
        (answering({"isError": True, "content": [block("canary-7f3a")]}), "TOOL_FAILED", False),
        (answering({"success": False, "message": "canary-7f3a"}), "TOOL_FAILED", False),
        (answering('{"error": "canary-7f3a"}'), "TOOL_FAILED", False),
        (answering_mcp([block('{"ok": false}')]), "TOOL_FAILED", False),
        (answering_mcp("canary-7f3a", {"isError": True}), "TOOL_FAILED", False),
        (
            answering(ToolMessage("canary-7f3a", tool_call_id="1", status="error")),
            "TOOL_FAILED",
            False,
        ),
        (answering_mcp([{"type": "image", "base64": "AA"}]), "TOOL_RESULT_UNREADABLE", False),
        (answering(object()), "TOOL_RESULT_UNREADABLE", False),
    ],
)
async def test_failures_are_codes(base_tool: BaseTool, code: str, retryable: bool) -> None:
    # only zero rows are empty; an error is never evidence, and its text stays behind (C4)
    caught = await failure(base_tool)
    assert (caught.code, caught.retryable) == (code, retryable)


async def test_cancelling_is_not_a_failure() -> None:
    with pytest.raises(asyncio.CancelledError):
        await ask(as_evidence_tool(raising(asyncio.CancelledError())))


async def test_what_the_tool_itself_refuses_is_named() -> None:
    class Stricter(BaseModel):
        query: str

        def model_post_init(self, context: Any) -> None:
            raise ValueError("canary-7f3a")

    async def call(query: str) -> str:
        Stricter(query=query)
        return "never"

    base_tool = StructuredTool.from_function(coroutine=call, name="search", description="x")
    with pytest.raises(ToolFailure, match=r"\ATOOL_INPUT_REFUSED\Z"):
        await ask(as_evidence_tool(base_tool), query="x")


def sync_search(q: str) -> str:
    """Looks things up."""
    return f"found {q}"


async def test_a_blocking_tool_works_too() -> None:
    tool = as_evidence_tool(StructuredTool.from_function(sync_search))
    assert (tool.name, tool.description, tool.factual) == ("sync_search", "Looks things up.", False)
    assert (await ask(tool, q="x")).evidence[0].text == "found x"


class Listener(AsyncCallbackHandler):
    def __init__(self) -> None:
        self.heard: list[str] = []

    async def on_tool_start(self, *args: Any, **kwargs: Any) -> None:
        self.heard.append("start")

    async def on_tool_error(self, *args: Any, **kwargs: Any) -> None:
        self.heard.append("error")

    async def on_tool_end(self, *args: Any, **kwargs: Any) -> None:
        self.heard.append("end")


@pytest.mark.parametrize("base_tool", [answering("x"), raising(RuntimeError("canary"))])
async def test_callbacks_around_it_hear_neither_arguments_nor_errors(base_tool: BaseTool) -> None:
    listener = Listener()

    async def node(_: Any) -> str:
        try:
            await ask(as_evidence_tool(base_tool))
        except ToolFailure as failed:
            return failed.code
        return "found"

    await RunnableLambda(node).ainvoke("x", {"callbacks": [listener]})
    assert listener.heard == []


@pytest.mark.parametrize(
    ("annotations", "refused"),
    [
        (None, False),
        ({}, False),
        ({"readOnlyHint": True}, False),
        ({"readOnlyHint": True, "destructiveHint": True}, False),  # the latter then means nothing
        ({"readOnlyHint": False}, True),
        ({"destructiveHint": True}, True),
        # annotations that do not say read-only mean that it may write
        ({"readOnlyHint": None, "destructiveHint": None, "title": "x"}, True),
        ({"destructiveHint": False}, True),
    ],
)
def test_a_tool_that_says_it_may_write_needs_a_declaration(
    annotations: dict[str, Any] | None, refused: bool
) -> None:
    base_tool = answering("x", metadata=annotations)
    if refused:
        with pytest.raises(ValueError, match="search may change data"):
            as_evidence_tool(base_tool)
    else:
        as_evidence_tool(base_tool)
    as_evidence_tool(base_tool, read_only=True)


@pytest.mark.parametrize("other", [sync_search, "search", None])
def test_only_langchain_tools_are_taken(other: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match="LangChain tool"):
        as_evidence_tool(other)  # type: ignore[arg-type]
