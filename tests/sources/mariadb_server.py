"""Starts a real MariaDB server of the tests' own, on a free loopback port, in its own folder."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pymysql
import pytest

from tests.stores.redis_server import free_port

MISSING = "no MariaDB server found (Debian: apt-get install mariadb-server)"
PASSWORD = "canary-4b1e"
_UNPRIVILEGED = ("mysql", "nobody")
_START_SECONDS = 60.0
_SMALL = ("--innodb-buffer-pool-size=32M", "--innodb-flush-log-at-trx-commit=0", "--skip-log-bin")


class MariaDbServer:
    """One server process, as an unprivileged user: MariaDB refuses to run as root."""

    def __init__(self, folder: Path, options: Sequence[str] = ()) -> None:
        self.folder = folder
        self._options = options
        self._user = _unprivileged_user()
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()

    def url(self, database: str, *, user: str = "root", password: str = PASSWORD) -> str:
        """Of a database, with the password and without a driver."""
        return f"mysql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Ready when it returns."""
        place = ["--no-defaults", f"--datadir={self.folder / 'data'}"]
        subprocess.run(
            ["mariadb-install-db", *place, "--auth-root-authentication-method=normal",
             "--skip-test-db", f"--user={self._user or _own_name()}"],
            cwd=self.folder, capture_output=True, check=True,
        )  # fmt: skip
        initial = self.folder / "initial.sql"
        initial.write_text(f"ALTER USER root@localhost IDENTIFIED BY '{PASSWORD}';")
        os.chown(initial, _uid(self._user), -1)
        listen = [f"--port={self.port}", "--bind-address=127.0.0.1"]
        local = [f"--socket={self.folder / 'socket'}", f"--init-file={initial}"]
        user = [f"--user={self._user}"] if self._user else []
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                ["mariadbd", *place, *listen, *local, *user, *_SMALL, *self._options],
                stdout=log,
                stderr=log,
            )
        self._wait()

    def stop(self) -> None:
        """At once; every connection is cut."""
        if self._process is not None:
            self.thaw()
            self._process.kill()
            self._process.wait(_START_SECONDS)
            self._process = None

    def freeze(self) -> None:
        """Connections stay, but nobody answers."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def new_database(self) -> str:
        """The URL of an empty database."""
        name = f"test_{uuid.uuid4().hex}"
        self.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
        return self.url(name)

    def execute(self, *statements: str, database: str | None = None) -> tuple[Any, ...]:
        """As root; the rows of the last one."""
        with (
            pymysql.connect(
                host="127.0.0.1",
                port=self.port,
                user="root",
                password=PASSWORD,
                database=database,
                autocommit=True,
            ) as connection,
            connection.cursor() as cursor,
        ):
            for statement in statements:
                cursor.execute(statement)
            return tuple(cursor.fetchall())

    def _wait(self) -> None:
        give_up = time.monotonic() + _START_SECONDS
        while True:
            try:
                self.execute("SELECT 1")
            except pymysql.OperationalError:
                alive = self._process is not None and self._process.poll() is None
                if not alive or time.monotonic() > give_up:
                    raise RuntimeError((self.folder / "log").read_text("utf-8")) from None
                time.sleep(0.05)
            else:
                return


@contextmanager
def running_mariadb(options: Sequence[str] = ()) -> Iterator[MariaDbServer]:
    """A server until the end of the block; the test skips where there is none to start.

    Its folder is not pytest's own, which only the user who runs the tests may enter.
    """
    if not (shutil.which("mariadbd") and shutil.which("mariadb-install-db")):
        pytest.skip(MISSING)
    with tempfile.TemporaryDirectory(prefix="mariadb-") as folder:
        os.chown(folder, _uid(_unprivileged_user()), -1)
        server = MariaDbServer(Path(folder), options)
        try:
            server.start()
            yield server
        finally:
            server.stop()


def _unprivileged_user() -> str | None:
    """Who runs the server; None where we are nobody special ourselves."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in _UNPRIVILEGED if name in known)


def _uid(user: str | None) -> int:
    return pwd.getpwnam(user).pw_uid if user else os.geteuid()


def _own_name() -> str:
    return pwd.getpwuid(os.geteuid()).pw_name
