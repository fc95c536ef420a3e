"""Where plugged-in tools come from: a section an MCP server, `[sources.mcp.NAME]`."""

from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

ServerName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,23}$")]
"""Begins the names of its tools, and names its section in the environment too."""
ToolName = Annotated[str, StringConstraints(min_length=1, max_length=200)]
VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Words = tuple[str, ...]


def _address(url: str) -> str:
    """An address is shown to operators, so no secret stands in it."""
    if not url.startswith(("http://", "https://")):
        raise ValueError("not a URL that begins with http:// or https://")
    if "@" in url.partition("://")[2].partition("/")[0] or "?" in url:
        raise ValueError("credentials belong in an environment variable that headers_env names")
    return url


class McpServerSettings(BaseModel):
    """An MCP server and which of its tools to take.

    `transport`: `stdio` starts `command` with `args`; `http` (streamable HTTP) reaches `url`.
    `env_from`: variables handed on to the program, which else gets PATH, HOME and the like only.
    `headers_env`: header to the variable that holds its whole value. `tools`: by the server's own
    names. `read_only`: those of them that change nothing although the server does not say so.
    `factual`: a root cause may rest on them alone (C6.2). `start_seconds`: how long the server may
    take to say what it offers.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    enabled: bool = True
    transport: Literal["stdio", "http"]
    command: Annotated[str, Field(min_length=1)] | None = None
    args: Words = ()
    env_from: tuple[VariableName, ...] = ()
    url: Annotated[str, AfterValidator(_address)] | None = None
    headers_env: dict[str, VariableName] = {}
    tools: Annotated[tuple[ToolName, ...], Field(min_length=1)]
    read_only: tuple[ToolName, ...] = ()
    factual: bool = False
    start_seconds: Annotated[float, Field(gt=0, le=600)] = 20

    @model_validator(mode="after")
    def _fits_its_transport(self) -> "McpServerSettings":
        of_stdio = {"command": self.command, "args": self.args, "env_from": self.env_from}
        of_http = {"url": self.url, "headers_env": self.headers_env}
        own, other = (of_stdio, of_http) if self.transport == "stdio" else (of_http, of_stdio)
        needed = next(iter(own))
        if not own[needed]:
            raise ValueError(f"transport {self.transport} needs {needed}")
        if stray := next((key for key, value in other.items() if value), None):
            raise ValueError(f"transport {self.transport} has no {stray}")
        if unknown := sorted({*self.read_only} - {*self.tools}):
            raise ValueError(f"read_only names {unknown[0]!r}, which is not one of tools")
        return self
