"""The private DuckDB that holds the index: how it is closed off, and how text gets in.

It lives in memory up to a limit and spills into a temporary folder of its own that goes away with
it. It reaches nothing outside but the folder of segments: no other files, no network, no
extensions, no Python names, and its settings are locked. Data gets in as parameters or segments
only, never as SQL.
"""

import shutil
import tempfile
import unicodedata
import weakref
from dataclasses import dataclass, field
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from tools.logs.events import insert_sql
from tools.logs.levels import TABLE as LEVEL_WORDS_TABLE
from tools.logs.reader import Piece
from tools.logs.stamps import sql_text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


TABLES = """
CREATE TABLE files (file_id BIGINT PRIMARY KEY, path VARCHAR, service VARCHAR);
CREATE TABLE fresh (
  file_id BIGINT, line_no BIGINT, head_no BIGINT, head BOOLEAN, structured BOOLEAN,
  broken BOOLEAN, instant TIMESTAMP, yearless TIMESTAMP, level TINYINT, service VARCHAR,
  template VARCHAR, text VARCHAR, folded VARCHAR);
CREATE TABLE known_zones AS SELECT name FROM pg_timezone_names();
"""
"""`instant` is UTC. `yearless` is a local time of the default zone in the year 2000, for lines
without a year. `folded` is the NFKC form of `text` where it differs. Only headers carry facts.
`fresh` is filled here; a view `lines` puts what lies on disk beside it."""


def open_database(
    folder: str, *, memory_mib: int, spill_mib: int, reachable: Path | None, threads: int | None
) -> "DuckDBPyConnection":
    """An empty index in memory, spilling into `folder`; what files there are to
    read, lie below `reachable`."""
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": f"{memory_mib}MiB",
        "temp_directory": folder,
        "max_temp_directory_size": f"{spill_mib}MiB",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "allow_community_extensions": "false",
        "python_enable_replacements": "false",
    }
    if threads is not None:
        config["threads"] = str(threads)
    connection = duckdb.connect(":memory:", config=config)
    connection.execute(TABLES)
    connection.execute(LEVEL_WORDS_TABLE)
    if reachable is not None:
        connection.execute(f"SET allowed_directories = [{sql_text(str(reachable))}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


class Database:
    """The connection and its spill folder, which are dropped together."""

    def __init__(
        self,
        *,
        memory_mib: int,
        spill_mib: int,
        reachable: Path | None = None,
        threads: int | None = None,
    ) -> None:
        folder = tempfile.mkdtemp(prefix="query-logs-")
        # also when nobody closes: at collection or the end of the process
        self._drop_folder = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.connection = open_database(
            folder,
            memory_mib=memory_mib,
            spill_mib=spill_mib,
            reachable=reachable,
            threads=threads,
        )
        self.attach([])

    def attach(self, segments: list[Path]) -> None:
        """Let the view `lines` be what is in memory and what these Parquet files hold."""
        beside = ""
        if segments:
            listed = ", ".join(sql_text(str(path)) for path in segments)
            beside = f" UNION ALL SELECT * FROM read_parquet([{listed}])"
        self.connection.execute(f"CREATE OR REPLACE VIEW lines AS SELECT * FROM fresh{beside}")

    def forget(self, file_ids: list[int]) -> None:
        """Drop files and their lines, and give their memory back."""
        for table in ("fresh", "files"):
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
        """Queue a piece. One that goes on with a file is joined to what it goes on with, as a
        statement for each small piece is slow, or waits until that is in."""
        if (whole := self._joined(file_id, piece)) is not None:
            self._pieces[-1] = file_id, whole
        else:
            if piece.first_line > 1 or len(self._pieces) >= self.max_pieces:
                self.flush()
            self._pieces.append((file_id, piece))
        self._chars += len(piece.text)
        if self._chars >= self.max_chars:
            self.flush()

    def _joined(self, file_id: int, piece: Piece) -> Piece | None:
        """The last piece queued and this one as one, if they meet and are not too much."""
        if not self._pieces or self._chars + len(piece.text) > self.max_chars:
            return None
        before, first = self._pieces[-1]
        if before != file_id or first.next_line != piece.first_line:
            return None
        return Piece(first.first_line, f"{first.text}\n{piece.text}")

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
                "folds": [folded_form(piece.text) for _, piece in self._pieces],
            },
        )
        self._pieces.clear()
        self._chars = 0


def folded_form(text: str) -> str | None:
    """The compatibility form in which keywords are compared, where it differs."""
    if text.isascii() or unicodedata.is_normalized("NFKC", text):
        return None
    folded = unicodedata.normalize("NFKC", text)
    return folded if folded.count("\n") == text.count("\n") else None
