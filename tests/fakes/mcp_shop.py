"""A small MCP server, as a program: `mcp_shop.py stdio`, or `mcp_shop.py http PORT`.

It writes its process id into the folder of SHOP_FOLDER, where that is handed on to it, and much
on standard error, which nobody should ever see.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

from mcp.server.fastmcp import Context, FastMCP
from mcp.types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)
from pydantic import AnyUrl, Field

READS = ToolAnnotations(readOnlyHint=True)
BINARY = "Y2FuYXJ5LWJpbmFyeQ=="
LINES = ["pool exhausted", "连接池耗尽", "retrying"]

app = FastMCP("shop", host="127.0.0.1", log_level="ERROR")


@app.tool(annotations=READS)
def query_logs(
    query: Annotated[str, Field(description="Words that a line holds")],
    limit: int = 2,
    level: str | None = None,
) -> list[dict[str, Any]]:
    """Log lines of the shop."""
    found = [{"line": line, "level": level} for line in LINES if query in line]
    return found[:limit]


@app.tool(annotations=READS)
def echo(config: str, runtime: str = "", run_manager: str = "", copy: str = "") -> str:
    """Says its arguments, whose names other clients take for themselves."""
    return f"{config}|{runtime}|{run_manager}|{copy}"


@app.tool(annotations=READS)
def environment(name: str) -> str:
    """One variable of the server's environment."""
    return os.environ.get(name, "-")


@app.tool(annotations=READS)
def header(name: str, context: Context[Any, Any, Any]) -> str:
    """One header of the request."""
    request = context.request_context.request
    assert request is not None
    return str(request.headers.get(name, "-"))


@app.tool(annotations=READS)
def broken() -> str:
    """Raises."""
    raise RuntimeError("canary-7f3a")


@app.tool(annotations=READS)
def dies() -> str:
    """Takes the whole server down."""
    sys.stderr.write("canary-7f3a")
    os._exit(3)


@app.tool(annotations=READS)
def hangs() -> str:
    """Answers in an hour; a child of the server's waits beside it."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
    note(f"child-{child.pid}")
    child.wait()
    return "late"


@app.tool(annotations=READS)
def huge(characters: int) -> str:
    """As long as it is asked to be."""
    return "日" * characters


@app.tool(annotations=READS, structured_output=False)
def mixed() -> list[Any]:
    """Text beside what is no text."""
    return [
        TextContent(type="text", text="a line"),
        ImageContent(type="image", data=BINARY, mimeType="image/png"),
        AudioContent(type="audio", data=BINARY, mimeType="audio/wav"),
        ResourceLink(type="resource_link", uri=AnyUrl("file:///dump.bin"), name="dump"),
        embedded(TextResourceContents(uri=AnyUrl("file:///notes.txt"), text="a note")),
        embedded(BlobResourceContents(uri=AnyUrl("file:///dump.bin"), blob=BINARY)),
    ]


@app.tool(annotations=READS, structured_output=False)
def picture() -> list[Any]:
    """A picture, and not a word."""
    return [ImageContent(type="image", data=BINARY, mimeType="image/png")]


@app.tool(annotations=READS)
def structured() -> CallToolResult:
    """Data without its rendering as text."""
    data = {"data": [{"line": "one"}], "metadata": {"resultsTruncated": True}}
    return CallToolResult(content=[], structuredContent=data)


@app.tool(annotations=READS)
def nothing() -> str | None:
    """Finds nothing."""
    return None


@app.tool()
def unannotated() -> str:
    """Does not say whether it writes."""
    return "done"


@app.tool(annotations=ToolAnnotations(title="Restart", readOnlyHint=False))
def restart() -> str:
    """Says that it writes."""
    return "done"


@app.tool(name="logs.search/" + "x" * 80, annotations=READS)
def long_name() -> str:
    """Has a name that no model API takes."""
    return "found"


def embedded(contents: TextResourceContents | BlobResourceContents) -> EmbeddedResource:
    return EmbeddedResource(type="resource", resource=contents)


def note(name: str) -> None:
    if folder := os.environ.get("SHOP_FOLDER"):
        (Path(folder) / name).touch()


if __name__ == "__main__":
    note(f"server-{os.getpid()}")
    sys.stderr.write("canary-7f3a\n")
    if sys.argv[1] == "http":
        app.settings.port = int(sys.argv[2])
    app.run("stdio" if sys.argv[1] == "stdio" else "streamable-http")
