"""Starts real Redis servers of a test's own, on free loopback ports, in folders of their own."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis
import trustme

MISSING = "no redis-server on PATH (Debian: apt-get install redis-server)"
_START_SECONDS = 20.0
_ATTEMPTS = 5
# a cluster's nodes talk 10,000 ports above the one for clients
_HIGHEST_PORT = 55_535


class RedisServer:
    """One server process. `admin` is a plain client for what a test does behind the store."""

    def __init__(self, folder: Path, *options: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._options = options
        self.port = 0
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Of the server, without a password."""
        return f"redis://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Ready when it returns. A second start keeps the port; nothing is kept on disk."""
        for _ in range(1 if self.port else _ATTEMPTS):
            port = self.port or free_port()
            process = self._spawn(port)
            if self._ready(process, port):
                self.port, self._process = port, process
                return
        raise RuntimeError((self.folder / "log").read_text(encoding="utf-8"))

    def kill(self) -> None:
        """Like a crash: no good-bye, nothing saved."""
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)
            self._process.kill()
            self._process.wait()
            self._process = None

    def freeze(self) -> None:
        """Connections stand, and nothing is answered."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Frozen until the end of the block."""
        assert self._process is not None
        self.freeze()
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    @contextmanager
    def admin(self) -> Iterator[redis.Redis]:
        """A client of the default user, without password."""
        client = redis.Redis(port=self.port, protocol=2)
        try:
            yield client
        finally:
            client.close()

    def _spawn(self, port: int) -> subprocess.Popen[bytes]:
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [
                    *("redis-server", "--port", str(port), "--bind", "127.0.0.1"),
                    *("--dir", str(self.folder), "--save", "", "--appendonly", "no"),
                    *self._options,
                ],
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def _ready(self, process: subprocess.Popen[bytes], port: int) -> bool:
        deadline = time.monotonic() + _START_SECONDS
        while process.poll() is None and time.monotonic() < deadline:
            with (
                contextlib.suppress(OSError),
                socket.create_connection(("127.0.0.1", port), 1) as s,
            ):
                s.sendall(b"PING\r\n")
                # a server that wants a password or is part of no cluster yet is up, too
                if s.recv(64).startswith((b"+PONG", b"-NOAUTH")):
                    return True
            time.sleep(0.01)
        process.kill()
        process.wait()
        return False


@contextmanager
def running_server(folder: Path, *options: str) -> Iterator[RedisServer]:
    """A server until the end of the block; the test skips where there is none to start."""
    if shutil.which("redis-server") is None:
        pytest.skip(MISSING)
    server = RedisServer(folder, *options)
    server.start()
    try:
        yield server
    finally:
        server.kill()


@contextmanager
def running_cluster(folder: Path) -> Iterator[RedisServer]:
    """One of two primaries that share the slots."""
    with contextlib.ExitStack() as stack:
        first, second = (
            stack.enter_context(running_server(folder / name, "--cluster-enabled", "yes"))
            for name in ("first", "second")
        )
        for epoch, server, slots in ((1, first, range(8192)), (2, second, range(8192, 16384))):
            with server.admin() as admin:
                admin.execute_command("CLUSTER", "ADDSLOTS", *slots)
                admin.execute_command("CLUSTER", "SET-CONFIG-EPOCH", epoch)
        with first.admin() as admin:
            admin.execute_command("CLUSTER", "MEET", "127.0.0.1", second.port)
        deadline = time.monotonic() + _START_SECONDS
        while not (_whole(first) and _whole(second)):
            assert time.monotonic() < deadline, "the cluster did not form"
            time.sleep(0.05)
        yield first


def _whole(server: RedisServer) -> bool:
    with server.admin() as admin:
        info = admin.execute_command("CLUSTER", "INFO")
        return b"cluster_state:ok" in info and b"cluster_known_nodes:2" in info


def free_port() -> int:
    """A port that nobody listens on now, and below those whose cluster bus would have none."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        if port <= _HIGHEST_PORT:
            return port


def write_certificates(folder: Path) -> Path:
    """`server.pem` for 127.0.0.1 and the authority's own certificate, whose path is returned."""
    authority = trustme.CA()
    server = authority.issue_cert("127.0.0.1")
    server.private_key_and_cert_chain_pem.write_to_path(folder / "server.pem")
    os.chmod(folder / "server.pem", 0o600)
    authority.cert_pem.write_to_path(folder / "authority.pem")
    return folder / "authority.pem"
