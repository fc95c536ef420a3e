"""The private DuckDB that holds the index: how it is closed off, and how text gets in.

It lives in memory up to a limit and spills into a temporary folder of its own that goes away with
it. It reaches nothing outside: no files, no network, no extensions, no Python names, and its
settings are locked. Data gets in as parameters only, never as SQL.
"""

import shutil
import tempfile
import unicodedata
import weakref
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import TYPE_CHECKING

from tools.logs.events import TABLES, insert_sql
from tools.logs.levels import TABLE as LEVEL_WORDS_TABLE
from tools.logs.reader import Piece

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def open_database(folder: str, *, memory_mib: int, spill_mib: int) -> "DuckDBPyConnection":
    """An empty index in memory, spilling into `folder`."""
    import duckdb

    connection = duckdb.connect(
        ":memory:",
        config={
            "memory_limit": f"{memory_mib}MiB",
            "temp_directory": folder,
            "max_temp_directory_size": f"{spill_mib}MiB",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
            "python_enable_replacements": "false",
        },
    )
    connection.execute(TABLES)
    connection.execute(LEVEL_WORDS_TABLE)
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


class Database:
    """The connection and its spill folder, which are dropped together."""

    def __init__(self, *, memory_mib: int, spill_mib: int) -> None:
        folder = tempfile.mkdtemp(prefix="query-logs-")
        # also when nobody closes: at collection or the end of the process
        self._drop_folder = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.connection = open_database(folder, memory_mib=memory_mib, spill_mib=spill_mib)

    def forget(self, file_ids: list[int]) -> None:
        """Drop files and their lines, and give their memory back."""
        for table in ("lines", "files"):
            self.connection.execute(
                f"DELETE FROM {table} WHERE file_id IN (SELECT unnest(?))", [file_ids]
            )
        self.connection.execute("CHECKPOINT")

    def close(self) -> None:
        self.connection.close()
        self._drop_folder()


@dataclass(slots=True)
class Batch:
    """Pieces of text on their way into the database, of many small files or of one large one."""

    connection: "DuckDBPyConnection"
    zone: tzinfo
    max_chars: int = 8 * 1024 * 1024
    max_pieces: int = 500
    _pieces: list[tuple[int, Piece]] = field(default_factory=list)
    _chars: int = 0

    def add(self, file_id: int, piece: Piece) -> None:
        """Queue a piece. One that goes on with a file waits for what came before it."""
        if piece.first_line > 1 or len(self._pieces) >= self.max_pieces:
            self.flush()
        self._pieces.append((file_id, piece))
        self._chars += len(piece.text)
        if self._chars >= self.max_chars:
            self.flush()

    def flush(self) -> None:
        """Parse what is queued into lines and events."""
        if not self._pieces:
            return
        self.connection.execute(
            insert_sql(self.zone),
            {
                "file_ids": [file_id for file_id, _ in self._pieces],
                "first_lines": [piece.first_line for _, piece in self._pieces],
                "texts": [piece.text for _, piece in self._pieces],
                "folds": [_folded(piece.text) for _, piece in self._pieces],
            },
        )
        self._pieces.clear()
        self._chars = 0


def _folded(text: str) -> str | None:
    """The compatibility form in which keywords are compared, where it differs."""
    if text.isascii() or unicodedata.is_normalized("NFKC", text):
        return None
    folded = unicodedata.normalize("NFKC", text)
    return folded if folded.count("\n") == text.count("\n") else None
