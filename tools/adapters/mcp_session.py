"""One session with an MCP server a call: opened, initialized, closed again.

A server that died is thus started or reached anew by the next call, and no process outlives the
call that started it. Nothing here is shown: a server's standard error and what its client library
logs of it may hold anything.
"""

import logging
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO, cast

if TYPE_CHECKING:
    from mcp import ClientSession

CONNECT_SECONDS = 10.0
IDLE_SECONDS = 600.0
"""Between two bytes of an answer; the caller's own limit ends a call long before."""
_LOGGERS = ("mcp.client.stdio", "mcp.client.streamable_http", "client", "httpx")
_silent: ContextVar[bool] = ContextVar("silent", default=False)


@dataclass(frozen=True, slots=True)
class StdioServer:
    """A program that speaks MCP on its standard streams; `environment` beside PATH, HOME, …"""

    command: str
    args: tuple[str, ...] = field(default=(), repr=False)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class HttpServer:
    """A server that speaks MCP over streamable HTTP."""

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


McpServer = StdioServer | HttpServer


def new_session(server: McpServer) -> AbstractAsyncContextManager["ClientSession"]:
    """A session that is initialized when it is entered, which raises what the client library does
    (`tools.adapters.faults`). Made outside of a loop: this imports that library."""
    from mcp import ClientSession

    transport = _stdio(server) if isinstance(server, StdioServer) else _http(server)

    @asynccontextmanager
    async def opened() -> AsyncIterator[ClientSession]:
        _silence()
        async with transport as (incoming, outgoing, *_), ClientSession(incoming, outgoing) as made:
            await made.initialize()
            yield made

    return opened()


def _stdio(server: StdioServer) -> AbstractAsyncContextManager[Any]:
    from mcp import StdioServerParameters
    from mcp.client.stdio import stdio_client

    program = StdioServerParameters(
        command=server.command,
        args=list(server.args),
        env=dict(server.environment),
        # a broken character is no reason to lose the answer around it
        encoding_error_handler="replace",
    )
    return stdio_client(program, errlog=cast(TextIO, subprocess.DEVNULL))


def _http(server: HttpServer) -> AbstractAsyncContextManager[Any]:
    import httpx
    from mcp.client.streamable_http import streamable_http_client

    patience = httpx.Timeout(CONNECT_SECONDS, read=IDLE_SECONDS)
    client = httpx.AsyncClient(headers=dict(server.headers), timeout=patience)

    @asynccontextmanager
    async def opened() -> AsyncIterator[Any]:
        async with client, streamable_http_client(server.url, http_client=client) as streams:
            yield streams

    return opened()


def _silence() -> None:
    """For the context of this session only: what others do with the same library stays heard."""
    _silent.set(True)
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_heard)


def _heard(record: logging.LogRecord) -> bool:
    return not _silent.get()
