"""What a foreign call raised, as a code; its text goes no further (C4).

| code | meaning |
|---|---|
| `TOOL_TIMEOUT` | no answer in time; may be retried |
| `TOOL_UNAVAILABLE` | no connection, or it broke; may be retried |
| `TOOL_ACCESS_REFUSED` | the server wants other credentials |
| `TOOL_INPUT_REFUSED` | the tool's own validation refused the arguments |
| `TOOL_FAILED` | it raised, answered with an error, or broke its protocol |
"""

import sys

from pydantic import ValidationError

from tools.evidence import ToolFailure

_UNAUTHORIZED, _FORBIDDEN, _TIMED_OUT, _TOO_MANY, _SERVER_FAULT = 401, 403, 408, 429, 500
# of JSON-RPC, as the MCP client has them: connection closed, session gone, invalid parameters
_CODES = {
    -32000: ("TOOL_UNAVAILABLE", True),
    -32600: ("TOOL_UNAVAILABLE", True),
    -32602: ("TOOL_INPUT_REFUSED", False),
    _TIMED_OUT: ("TOOL_TIMEOUT", True),
}


def failure_of(error: BaseException) -> ToolFailure:
    """The failure that `error` is, or, of several raised together, the first that is known."""
    known = [found for leaf in _leaves(error) if (found := _known(leaf)) is not None]
    return known[0] if known else ToolFailure("TOOL_FAILED", retryable=False)


def _leaves(error: BaseException) -> list[BaseException]:
    if not isinstance(error, BaseExceptionGroup):
        return [error]
    return [leaf for inner in error.exceptions for leaf in _leaves(inner)]


def _known(error: BaseException) -> ToolFailure | None:
    match error:
        case ToolFailure():
            return error
        case TimeoutError():
            return ToolFailure("TOOL_TIMEOUT", retryable=True)
        case OSError():
            return ToolFailure("TOOL_UNAVAILABLE", retryable=True)
        case ValidationError():
            return ToolFailure("TOOL_INPUT_REFUSED", retryable=False)
        case _:
            return _of_http(error) or _of_mcp(error)


def _of_http(error: BaseException) -> ToolFailure | None:
    # who raised such an error has imported the package: it need not be loaded to look
    if (httpx := sys.modules.get("httpx")) is None:
        return None
    if isinstance(error, httpx.TimeoutException):
        return ToolFailure("TOOL_TIMEOUT", retryable=True)
    if isinstance(error, httpx.TransportError):
        return ToolFailure("TOOL_UNAVAILABLE", retryable=True)
    if isinstance(error, httpx.HTTPStatusError):
        return _of_status(error.response.status_code)
    return None


def _of_status(status: int) -> ToolFailure | None:
    if status in (_UNAUTHORIZED, _FORBIDDEN):
        return ToolFailure("TOOL_ACCESS_REFUSED", retryable=False)
    if status in (_TIMED_OUT, _TOO_MANY) or status >= _SERVER_FAULT:
        return ToolFailure("TOOL_UNAVAILABLE", retryable=True)
    return None


def _of_mcp(error: BaseException) -> ToolFailure | None:
    """An error answer, or the closed stream by which the client notices that a server went away."""
    mcp, anyio = sys.modules.get("mcp"), sys.modules.get("anyio")
    if mcp is not None and isinstance(error, mcp.McpError) and error.error.code in _CODES:
        code, retryable = _CODES[error.error.code]
        return ToolFailure(code, retryable=retryable)
    if anyio is not None and isinstance(error, anyio.BrokenResourceError | anyio.EndOfStream):
        return ToolFailure("TOOL_UNAVAILABLE", retryable=True)
    return None
