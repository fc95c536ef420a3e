"""What each SQLite file of ours needs: private to its owner, shared by any number of processes."""

import os
import sqlite3
import time
from pathlib import Path

_RETRY_SECONDS = 0.02


def make_private(path: Path) -> os.stat_result:
    """The file 0600, and its folder 0700, where they are new; what exists keeps its permissions.
    The file's status. SQLite gives the files beside it the same mode. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)


def switch_to_wal(connection: sqlite3.Connection, deadline: float) -> None:
    """Two processes that create the file together collide here, past SQLite's own waiting.
    `deadline`: of the monotonic clock, after which SQLite's error is raised."""
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_SECONDS)
        else:
            return
