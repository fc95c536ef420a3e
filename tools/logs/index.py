"""The index: every readable line of the folder, kept level with the files.

A file is read once, and again only when its size, time or inode changes.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from tools.logs.database import Batch, Database
from tools.logs.folder import LogFile, names_of, service_of, walk
from tools.logs.reader import FileState, ReadLimits, TextFile

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


_PACKED_FACTOR = 10
_TRANSACTION_FILES = 500


@dataclass(frozen=True, slots=True)
class IndexLimits:
    """What the index may take: files, bytes a file, memory and spilled bytes."""

    max_files: int = 20_000
    memory_mib: int = 512
    spill_mib: int = 8_192
    read: ReadLimits = field(default_factory=ReadLimits)


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file as the index holds it, and the names it answers to."""

    file_id: int
    file: LogFile
    state: FileState
    names: list[str]


@dataclass(frozen=True, slots=True)
class ServiceFacts:
    """A service named in the lines or by a file: its events and the times they cover, in UTC.

    `yearless` times, of lines without a year, lie in the year 2000 of the default zone.
    """

    name: str
    events: int
    first: datetime | None
    last: datetime | None
    yearless_first: datetime | None
    yearless_last: datetime | None


class LogIndex:
    """Not safe for concurrent use: its owner takes turns. Methods raise OSError for the folder
    itself and `duckdb.Error` for the engine, never for what a file holds."""

    def __init__(self, root: Path, zone: tzinfo, limits: IndexLimits) -> None:
        self.zone = zone
        self._root = root
        self._found: list[LogFile] = []
        self._passed_over: Counter[str] = Counter()
        self._limits = limits
        self._database: Database | None = None
        self._files: dict[str, IndexedFile] = {}
        self._next_id = 1
        self._services: list[ServiceFacts] | None = None

    @property
    def connection(self) -> "DuckDBPyConnection":
        return self._opened().connection

    @property
    def files(self) -> list[IndexedFile]:
        """Every file found, with what became of it."""
        return list(self._files.values())

    def unread_bytes(self) -> int:
        """How many bytes a refresh would read now; packed ones count tenfold."""
        return sum(
            file.signature[1] * (_PACKED_FACTOR if file.cited_as.endswith(".gz") else 1)
            for file in self._changed()
        )

    def refresh(self) -> None:
        """Read what is new or changed, forget what is gone."""
        changed = self._changed()
        present = {file.cited_as for file in self._found}
        replaced = {file.cited_as for file in changed}
        stale = [
            entry for name, entry in self._files.items() if name not in present or name in replaced
        ]
        if stale:
            self._opened().forget([entry.file_id for entry in stale])
            for entry in stale:
                del self._files[entry.file.cited_as]
        for start in range(0, len(changed), _TRANSACTION_FILES):
            self._load(changed[start : start + _TRANSACTION_FILES])
        if stale or changed:
            self._services = None

    def services(self) -> list[ServiceFacts]:
        """All services with their events and times, most events first."""
        if self._services is None:
            rows = self.connection.execute(
                "SELECT coalesce(l.service, f.service) AS name, count(*), min(instant), "
                "max(instant), min(yearless), max(yearless) FROM lines l JOIN files f "
                "USING (file_id) WHERE head GROUP BY name ORDER BY count(*) DESC, name"
            ).fetchall()
            self._services = [ServiceFacts(*row) for row in rows]
        return self._services

    def names(self) -> set[str]:
        """Every name that a file or folder of the last walk answers to."""
        return {name for file in self._found for name in names_of(file.cited_as)}

    def left_out(self) -> Counter[str]:
        """How many files are not wholly in the index, by reason."""
        states = (entry.state for entry in self._files.values())
        partial = Counter(state.value for state in states if state is not FileState.WHOLE)
        return +(self._passed_over + partial)

    def close(self) -> None:
        """Drop the database; a later use starts over."""
        if self._database is not None:
            self._database.close()
        self._database, self._files, self._services = None, {}, None

    def _opened(self) -> Database:
        if self._database is None:
            self._database = Database(
                memory_mib=self._limits.memory_mib, spill_mib=self._limits.spill_mib
            )
        return self._database

    def _changed(self) -> list[LogFile]:
        found = walk(self._root, self._limits.max_files)
        self._passed_over, self._found = found.passed_over, found.files
        return [file for file in found.files if self._differs(file)]

    def _differs(self, file: LogFile) -> bool:
        known = self._files.get(file.cited_as)
        return (
            known is None
            or known.file.signature != file.signature
            or known.state is FileState.UNREADABLE
        )

    def _load(self, files: list[LogFile]) -> None:
        """Read files in one transaction: an interrupted one leaves no half-read file behind."""
        connection = self.connection
        batch = Batch(connection, self.zone)
        connection.begin()
        try:
            loaded = [self._read(file, batch) for file in files]
            batch.flush()
            connection.executemany(
                "INSERT INTO files VALUES (?, ?, ?)",
                [
                    (entry.file_id, entry.file.cited_as, service_of(entry.file.cited_as))
                    for entry in loaded
                ],
            )
            connection.commit()
        except BaseException:
            connection.rollback()
            raise
        self._files.update((entry.file.cited_as, entry) for entry in loaded)

    def _read(self, file: LogFile, batch: Batch) -> IndexedFile:
        text = TextFile(file.path, self._limits.read)
        file_id, self._next_id = self._next_id, self._next_id + 1
        for piece in text:
            batch.add(file_id, piece)
        return IndexedFile(file_id, file, text.state, names_of(file.cited_as))
