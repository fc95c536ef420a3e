"""Real MCP servers for a test: one a call on standard streams, one that stays over HTTP."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graph import Settings
from graph.mcp_sources import tools_of_all
from tools.evidence import EvidenceTool

SHOP = Path(__file__).parents[1] / "fakes" / "mcp_shop.py"
ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 60


def over_stdio(*tools: str, **more: Any) -> dict[str, Any]:
    """Its section in the settings."""
    args = (str(SHOP), "stdio")
    given = {"transport": "stdio", "command": sys.executable, "args": args, "tools": tools}
    return {**given, **more}


def over_http(url: str, *tools: str, **more: Any) -> dict[str, Any]:
    return {"transport": "http", "url": url, "tools": tools, **more}


def plugged(section: dict[str, Any]) -> list[EvidenceTool[Any]]:
    """The tools of a server that the settings call `shop`."""
    return tools_of_all(Settings(sources={"mcp": {"shop": section}}))["shop"]


@contextmanager
def running_shop(port: int | None = None) -> Iterator[str]:
    """The address of a server that is ready; its process is ended afterwards."""
    port = port or free_port()
    process = subprocess.Popen(
        [sys.executable, str(SHOP), "http", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        give_up = time.monotonic() + PATIENCE_SECONDS
        while not _listens(port):
            assert process.poll() is None
            assert time.monotonic() < give_up
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def left_over(folder: Path) -> list[str]:
    """The processes that noted themselves in the folder and still run."""
    noted = [file.name for file in folder.iterdir()]
    return [name for name in noted if _runs(int(name.partition("-")[2]))]


def wait_until_none_is_left(folder: Path) -> None:
    give_up = time.monotonic() + PATIENCE_SECONDS
    while left_over(folder):
        assert time.monotonic() < give_up, left_over(folder)
        time.sleep(0.05)


def wait_until_noted(folder: Path, kind: str) -> None:
    give_up = time.monotonic() + PATIENCE_SECONDS
    while not any(name.startswith(kind) for name in left_over(folder)):
        assert time.monotonic() < give_up
        time.sleep(0.05)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # who nobody has waited for yet is dead all the same
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
