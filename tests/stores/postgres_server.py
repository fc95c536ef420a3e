"""Starts a real PostgreSQL server of the tests' own, on a free loopback port, in its own folder."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.stores.redis_server import free_port

MISSING = "no PostgreSQL server found (Debian: apt-get install postgresql)"
PASSWORD = "canary-9d2c"
_DEBIAN = Path("/usr/lib/postgresql")
_UNPRIVILEGED = ("postgres", "nobody")
_START_SECONDS = 30.0


class PostgresServer:
    """One server process, as an unprivileged user: PostgreSQL refuses to run as root."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self._folder, self._programs = folder, programs
        self._user = _unprivileged_user()
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()

    def url(self, database: str) -> str:
        """Of a database, with the password."""
        return f"postgresql://team:{PASSWORD}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Ready when it returns; data that was there before is kept."""
        if not (self._folder / "data").exists():
            self._make_data()
        program = [str(self._programs / "postgres"), "-D", str(self._folder / "data")]
        options = ["-p", str(self.port), "-h", "127.0.0.1", "-k", "", "-c", "fsync=off"]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*program, *options], stdout=log, stderr=log, user=self._user
            )
        self._wait()

    def stop(self) -> None:
        """At once; every connection is cut."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(_START_SECONDS)
            self._process = None

    def freeze(self) -> None:
        """New connections are accepted, but nobody answers."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def new_database(self) -> str:
        """The URL of an empty database."""
        name = f"test_{uuid.uuid4().hex}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")  # type: ignore[arg-type]
        return self.url(name)

    def _make_data(self) -> None:
        password = self._folder / "password"
        password.write_text(PASSWORD, encoding="utf-8")
        if self._user is not None:
            os.chown(self._folder, self._user, -1)
            os.chown(password, self._user, -1)
        initdb = [str(self._programs / "initdb"), "-D", str(self._folder / "data")]
        options = ["-U", "team", f"--pwfile={password}", "-A", "scram-sha-256", "-E", "UTF8"]
        subprocess.run(
            [*initdb, *options, "--locale=C", "--no-sync"],
            user=self._user,
            cwd=self._folder,
            capture_output=True,
            check=True,
        )

    def _wait(self) -> None:
        give_up = time.monotonic() + _START_SECONDS
        while True:
            try:
                psycopg.connect(self.url("postgres")).close()
            except psycopg.OperationalError:
                alive = self._process is not None and self._process.poll() is None
                if not alive or time.monotonic() > give_up:
                    raise RuntimeError((self._folder / "log").read_text("utf-8")) from None
                time.sleep(0.05)
            else:
                return


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """A server until the end of the block; the test skips where there is none to start.

    Its folder is not pytest's own, which only the user who runs the tests may enter.
    """
    programs = _programs()
    if programs is None:
        pytest.skip(MISSING)
    with tempfile.TemporaryDirectory(prefix="postgres-") as folder:
        server = PostgresServer(Path(folder), programs)
        try:
            server.start()
            yield server
        finally:
            server.stop()


def _programs() -> Path | None:
    """The newest server's programs; Debian keeps them off PATH."""
    found = [Path(name).resolve().parent for name in [shutil.which("initdb")] if name]
    found += sorted(_DEBIAN.glob("*/bin"), key=lambda bin_: float(bin_.parent.name), reverse=True)
    both = (place for place in found if (place / "initdb").exists())
    return next((place for place in both if (place / "postgres").exists()), None)


def _unprivileged_user() -> int | None:
    """Who runs the server; None where we are nobody special ourselves."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name: entry.pw_uid for entry in pwd.getpwall()}
    return next(known[name] for name in _UNPRIVILEGED if name in known)
