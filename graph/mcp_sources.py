"""The configured MCP servers: what each offers, asked when the parts are made, and its tools.

A server that does not answer then is a wrong setting, named by its key: the tools it would offer
cannot be shown to a model, and a diagnosis that silently lacks a source would look complete. Turn
it off for a while with `sources.mcp.NAME.enabled = false`, in the environment too.
"""

import asyncio
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from graph.plugin_settings import McpServerSettings
from graph.settings import Settings, SettingsError
from tools.evidence import EvidenceTool, ToolFailure

if TYPE_CHECKING:
    from mcp.types import Tool

    from tools.adapters.mcp_session import McpServer

MAX_NAMES_TOLD = 10
MAX_NAME_CHARS = 64


def mcp_tools(settings: Settings, name: str) -> list[EvidenceTool[Any]]:
    """The tools of one configured server; blocking, not for use inside an event loop. Raises
    `SettingsError` for one that does not answer, does not offer them, or may write by them."""
    section = settings.sources.mcp[name]
    server = _server(name, section)
    offered = {tool.name: tool for tool in _offered(name, section, server)}
    return [_tool(name, section, server, offered, wanted) for wanted in section.tools]


def enabled_servers(settings: Settings) -> list[str]:
    """Their names, in the order of the settings."""
    return [name for name, section in settings.sources.mcp.items() if section.enabled]


def tools_of_all(settings: Settings) -> dict[str, list[EvidenceTool[Any]]]:
    """The tools of every enabled server by its name; the servers are asked at the same time."""
    names = enabled_servers(settings)
    if not names:
        return {}
    with ThreadPoolExecutor(max_workers=len(names)) as asked:
        return dict(zip(names, asked.map(lambda n: mcp_tools(settings, n), names), strict=True))


def server_place(section: McpServerSettings) -> str:
    """Where it is, without arguments and headers."""
    return f"MCP over {section.transport}: {section.command or section.url}"


def _server(name: str, section: McpServerSettings) -> "McpServer":
    if find_spec("mcp") is None:
        raise SettingsError(f"sources.mcp.{name}: MCP servers need the extra 'mcp'")
    from tools.adapters.mcp_session import HttpServer, StdioServer

    if section.transport == "stdio":
        assert section.command is not None
        handed_on = {variable: variable for variable in section.env_from}
        values = _values(f"sources.mcp.{name}.env_from", handed_on)
        return StdioServer(section.command, section.args, values)
    assert section.url is not None
    headers = _values(f"sources.mcp.{name}.headers_env", section.headers_env)
    return HttpServer(section.url, headers)


def _values(key: str, variables: Mapping[str, str]) -> dict[str, str]:
    """By name, what the environment holds under the variable of that name."""
    missing = next(
        (variable for variable in variables.values() if variable not in os.environ), None
    )
    if missing is not None:
        raise SettingsError(f"{key}: the environment has no {missing}")
    return {name: os.environ[variable] for name, variable in variables.items()}


def _offered(name: str, section: McpServerSettings, server: "McpServer") -> "list[Tool]":
    from tools.adapters.mcp_tools import offered_tools

    async def asked() -> "list[Tool]":
        async with asyncio.timeout(section.start_seconds):
            return await offered_tools(server)

    try:
        return asyncio.run(asked())
    except ToolFailure as failure:
        code = failure.code
    except TimeoutError:
        code = "TOOL_TIMEOUT"
    raise SettingsError(
        f"sources.mcp.{name}: the server does not answer ({code}); mend it, or set"
        f" sources.mcp.{name}.enabled = false"
    ) from None


def _tool(
    name: str,
    section: McpServerSettings,
    server: "McpServer",
    offered: "Mapping[str, Tool]",
    wanted: str,
) -> EvidenceTool[Any]:
    from tools.adapters.mcp_tools import mcp_evidence_tool

    if wanted not in offered:
        has = [name[:MAX_NAME_CHARS] for name in sorted(offered) if name.isprintable()]
        told = ", ".join(has[:MAX_NAMES_TOLD]) + (", …" if len(has) > MAX_NAMES_TOLD else "")
        raise SettingsError(f"sources.mcp.{name}.tools: no {wanted!r}; it offers {told or 'none'}")
    try:
        return mcp_evidence_tool(
            server,
            offered[wanted],
            prefix=name,
            factual=section.factual,
            read_only=wanted in section.read_only,
        )
    except ValueError as refused:
        raise SettingsError(f"sources.mcp.{name}.tools: {wanted!r}: {refused}") from None
