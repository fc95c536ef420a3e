"""A real `langgraph dev` over the repository's `langgraph.json`, on a free loopback port."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 180
PROGRAM = shutil.which("langgraph", path=str(Path(sys.executable).parent))


@dataclass(frozen=True)
class DevServer:
    """Where it answers, and the file of everything it said."""

    url: str
    log: Path

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")


@contextmanager
def running(
    folder: Path, config: Path = ROOT / "langgraph.json", **more: str
) -> Iterator[DevServer]:
    """Ready while the context lasts; its whole process group is ended afterwards. `more` stands in
    its environment."""
    assert PROGRAM is not None
    port = free_port()
    server = DevServer(f"http://127.0.0.1:{port}", folder / "server.log")
    words = [
        *("dev", "--no-browser", "--no-reload", "--n-jobs-per-worker", "2"),
        *("--config", str(config), "--port", str(port)),
    ]
    with server.log.open("wb") as log:
        process = subprocess.Popen(
            [PROGRAM, *words],
            cwd=folder,
            env={**quiet_environment(folder), **more},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        wait_until_ready(server, process)
        yield server
    finally:
        end_group(process)


def quiet_environment(folder: Path) -> dict[str, str]:
    """No provider, no key, no telemetry; data and the server's own files in `folder`."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {
        **kept,
        "XDG_DATA_HOME": str(folder / "data"),
        "LANGSMITH_TRACING": "false",
        "LANGGRAPH_NO_VERSION_CHECK": "true",
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "LANGGRAPH_STRICT_MSGPACK": "true",
        "LOG_LEVEL": "WARNING",
        "NO_COLOR": "1",
    }


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until_ready(server: DevServer, process: subprocess.Popen[bytes]) -> None:
    give_up = time.monotonic() + PATIENCE_SECONDS
    while True:
        assert process.poll() is None, server.said()
        assert time.monotonic() < give_up, server.said()
        try:
            with urllib.request.urlopen(f"{server.url}/ok", timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)


def end_group(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            break
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            continue
    process.wait(timeout=20)
