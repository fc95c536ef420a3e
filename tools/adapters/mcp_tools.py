"""The tools of an MCP server as evidence sources.

Called through MCP's own client, a session a call (`mcp_session`): the LangChain tools that
`langchain-mcp-adapters` makes drop arguments named `config`, `runtime` or `run_manager`, and then
another query runs than the scope says. A server is trusted to tell what its tools are for and
whether they only read, so whoever configures it names the tools to take.
"""

import hashlib
import re
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, cast

from pydantic import BaseModel, ValidationError

from tools.adapters.faults import failure_of
from tools.adapters.foreign import ForeignTool
from tools.adapters.inputs import model_of_json_schema
from tools.adapters.mcp_session import McpServer, new_session
from tools.adapters.own_loop import in_own_loop
from tools.adapters.results import read_result
from tools.evidence import EvidenceTool, ToolFailure, ToolResult

if TYPE_CHECKING:
    from mcp import ClientSession
    from mcp.types import CallToolResult, Tool

Session = AbstractAsyncContextManager["ClientSession"]
MAX_NAME_CHARS = 64
MAX_DESCRIPTION_CHARS = 4_000
MAX_SCHEMA_CHARS = 32_000
MAX_PAGES = 20
_DIGEST_CHARS = 8
_NO_NAME_CHARACTER = re.compile(r"[^A-Za-z0-9_-]")


async def offered_tools(server: McpServer) -> "list[Tool]":
    """What the server offers now. Raises `ToolFailure`; the caller bounds the time."""
    try:
        return await in_own_loop(lambda: _listed(new_session(server)))
    except Exception as error:  # noqa: BLE001 - the client library's own; only its kind is told
        raise failure_of(error) from None


def mcp_evidence_tool(
    server: McpServer, offered: "Tool", *, prefix: str, factual: bool, read_only: bool
) -> EvidenceTool[Any]:
    """One offered tool, named `<prefix>_<its name>` in characters that every model API takes.

    `read_only` declares that it changes nothing, where its own annotations do not say so. Raises
    ValueError for one that may write, or whose schema is too large to show to a model.
    """
    if not (read_only or (offered.annotations and offered.annotations.readOnlyHint is True)):
        raise ValueError("it may change data, and nobody declared that it only reads")
    if len(str(offered.inputSchema)) > MAX_SCHEMA_CHARS:
        raise ValueError(f"its schema is longer than {MAX_SCHEMA_CHARS} characters")
    kind = type(
        "McpTool",
        (_McpTool,),
        {
            "name": tool_name(prefix, offered.name),
            "description": (offered.description or offered.name)[:MAX_DESCRIPTION_CHARS],
            "Input": model_of_json_schema(offered.inputSchema),
            "factual": factual,
        },
    )
    return cast("EvidenceTool[Any]", kind(server, offered.name))


def tool_name(prefix: str, name: str) -> str:
    """At most 64 characters; a name that had to be changed for that keeps a digest of itself, so
    that two of them stay two."""
    whole = f"{prefix}_{name}"
    plain = _NO_NAME_CHARACTER.sub("_", whole)
    if plain == whole and len(whole) <= MAX_NAME_CHARS:
        return whole
    digest = hashlib.blake2b(name.encode(), digest_size=_DIGEST_CHARS // 2).hexdigest()
    return f"{plain[: MAX_NAME_CHARS - _DIGEST_CHARS - 1]}_{digest}"


class _McpTool(ForeignTool):
    def __init__(self, server: McpServer, offered_name: str) -> None:
        self._server = server
        self._offered_name = offered_name

    async def search(self, request: BaseModel) -> ToolResult:
        """One call in a session of its own. Raises `ToolFailure`; see `tools.adapters.faults`."""
        arguments = self.scope(request)
        try:
            return await in_own_loop(lambda: self._found(new_session(self._server), arguments))
        except Exception as error:  # noqa: BLE001 - the client library's own; only its kind is told
            raise failure_of(error) from None

    async def _found(self, session: Session, arguments: dict[str, Any]) -> ToolResult:
        answer = await _called(session, self._offered_name, arguments)
        if answer.isError:
            raise ToolFailure("TOOL_FAILED", retryable=False)
        content = [block.model_dump(mode="json", by_alias=True) for block in answer.content]
        structured = {"structured_content": answer.structuredContent}
        return read_result(content, structured, tool=self.name, factual=self.factual)


async def _called(session: Session, name: str, arguments: dict[str, Any]) -> "CallToolResult":
    """The answer as it is: what the client's own helper adds is a second request for the schema of
    answers, and an exception that repeats an answer which does not fit it."""
    from mcp import types

    call = types.CallToolRequest(params=types.CallToolRequestParams(name=name, arguments=arguments))
    async with session as opened:
        try:
            return await opened.send_request(types.ClientRequest(call), types.CallToolResult)
        except ValidationError:
            # of the answer, not of the arguments: the server does not speak MCP
            raise ToolFailure("TOOL_FAILED", retryable=False) from None


async def _listed(session: Session) -> "list[Tool]":
    from mcp import types

    found: list[Tool] = []
    cursor: str | None = None
    async with session as opened:
        for _ in range(MAX_PAGES):
            page = await opened.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
            found += page.tools
            cursor = page.nextCursor
            if not cursor:
                break
    return found
