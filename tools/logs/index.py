"""The index: every readable line of the folder, kept level with the files.

A file is read once, and again only when its size, times or inode change. Small files live in
memory; each large one becomes a segment on disk, which the next process finds. While segments are
still being made, a question may be answered from what holds its keyword.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from tools.logs.builder import SegmentBuilder
from tools.logs.choice import Event
from tools.logs.context import Neighbour, neighbours
from tools.logs.coverage import ServiceFacts, service_facts
from tools.logs.database import Batch, Database
from tools.logs.folder import LogFile, names_of, service_of, walk
from tools.logs.indexed import IndexedFile
from tools.logs.levels import Level
from tools.logs.limits import IndexLimits
from tools.logs.reader import FileState, TextFile
from tools.logs.segments import SegmentFolder, segment_id
from tools.logs.sighting import Sighted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_TRANSACTION_FILES = 500


class LogIndex:
    """Not safe for concurrent use: its owner takes turns. Methods raise OSError for the folder
    itself and `duckdb.Error` for the engine, never for what a file holds."""

    def __init__(
        self, root: Path, zone: tzinfo, limits: IndexLimits, kept_in: Path | None = None
    ) -> None:
        self.zone = zone
        self.limits = limits
        self.counted: dict[Level | None, int] | None = None
        self._segments = SegmentFolder(kept_in, root, zone, limits.read)
        self._builder = SegmentBuilder(self._segments, zone, limits)
        self._root = root
        self.found: list[LogFile] = []
        self._passed_over: Counter[str] = Counter()
        self._database: Database | None = None
        self._files: dict[str, IndexedFile] = {}
        self._held: list[IndexedFile] = []
        self.unseen = 0
        self.unsearched: list[str] = []
        self._attached: list[Path] = []
        self._next_id = 1
        self._services: list[ServiceFacts] | None = None

    @property
    def connection(self) -> "DuckDBPyConnection":
        return self._opened().connection

    @property
    def files(self) -> list[IndexedFile]:
        """Every file read, with what became of it."""
        return [*self._files.values(), *self._held]

    @property
    def unread(self) -> list[LogFile]:
        """Large files, as of the last look, whose lines are not in the index yet."""
        return [file for file in self._missing() if self._is_large(file)]

    def unread_bytes(self) -> int:
        """How many bytes must be read to know all, as of the last look; packed ones tenfold."""
        return sum(file.weight for file in self._missing())

    def look(self) -> None:
        """Walk the folder, forget what is gone or changed, attach what lies on disk."""
        walked = walk(self._root, self.limits.max_files)
        self._passed_over, self.found = walked.passed_over, walked.files
        self.unsearched = walked.unsearched
        now = {file.cited_as: file.signature for file in walked.files}
        self._forget(
            entry
            for name, entry in self._files.items()
            if now.get(name) != entry.file.signature or entry.state is FileState.UNREADABLE
        )
        self._attach()

    def refresh(self) -> None:
        """Look, and read the small files that are new or changed."""
        self.look()
        small = [file for file in self._missing() if not self._is_large(file)]
        for start in range(0, len(small), _TRANSACTION_FILES):
            self._load(small[start : start + _TRANSACTION_FILES])

    def build(self, files: list[LogFile], *, seconds: float) -> bool:
        """Have segments of unread files made, these first; whether that was done in time."""
        self._builder.want(files)
        done = self._builder.wait(files, seconds=seconds)
        self._attach()
        return done

    def build_behind(self, first: list[LogFile]) -> None:
        """Have segments of all unread files made while nobody waits, these first."""
        self._builder.want(self.unread)
        self._builder.want(first)

    def wait(self, *, seconds: float) -> bool:
        """Whether all that is being made is done in time."""
        return self._builder.wait(self.unread, seconds=seconds)

    @contextmanager
    def building_paused(self) -> Iterator[None]:
        """Leave the processors to a question."""
        with self._builder.paused():
            yield

    def hold(self, sighted: Sighted) -> None:
        """Take in what was sighted of unread files, until `let_go`."""
        batch = Batch(self.connection, self.zone)
        for sighting in sighted.files:
            for run in sighting.runs or [[]]:
                entry = self._entry(sighting.file, sighting.state)
                self._held.append(entry)
                for piece in run:
                    batch.add(entry.file_id, piece)
        batch.flush()
        self._list(self._held)
        self.unseen = sighted.unseen

    def let_go(self) -> None:
        """Forget what is held."""
        held, self._held, self.unseen = self._held, [], 0
        self._opened().forget([entry.file_id for entry in held])
        self._services = None

    def services(self) -> list[ServiceFacts]:
        """All services with their events and times, most events first."""
        if self._services is None:
            self._services = service_facts(self.connection)
        return self._services

    def neighbours(self, events: list[Event], around: int) -> list[Neighbour]:
        """The events beside each of the best ranked."""
        return neighbours(self.connection, events, around)

    def names(self) -> set[str]:
        """Every name that a file or folder of the last walk answers to."""
        return {name for file in self.found for name in names_of(file.cited_as)}

    def left_out(self) -> Counter[str]:
        """How many files are not wholly in the index, by reason."""
        states = (entry.state for entry in self._files.values())
        partial = Counter(state.value for state in states if state is not FileState.WHOLE)
        return +(self._passed_over + partial + Counter({"not read yet": len(self._missing())}))

    def close(self) -> None:
        """Drop what is in memory and end the building; a later use starts over."""
        self._builder.close()
        if self._database is not None:
            self._database.close()
        self._segments.close()
        self._database, self._services = None, None
        self._files, self._held, self._attached = {}, [], []

    def discard(self) -> None:
        """Start over without the segments in use: one of them is damaged."""
        for path in self._attached:
            path.unlink(missing_ok=True)
        self.close()

    def _opened(self) -> Database:
        if self._database is None:
            self._database = Database(
                memory_mib=self.limits.memory_mib,
                spill_mib=self.limits.spill_mib,
                reachable=self._segments.path,
            )
        return self._database

    def _missing(self) -> list[LogFile]:
        return [file for file in self.found if file.cited_as not in self._files]

    def _is_large(self, file: LogFile) -> bool:
        return file.weight >= self.limits.segment_bytes and os.access(file.path, os.R_OK)

    def _forget(self, stale: Iterable[IndexedFile]) -> None:
        if not (gone := list(stale)):
            return
        self._opened().forget([entry.file_id for entry in gone])
        for entry in gone:
            del self._files[entry.file.cited_as]
        self._services = None

    def _attach(self) -> None:
        """Let the index be what is in memory and the segments of files as they are now."""
        ready = self._segments.ready()
        found = {segment_id(file): file for file in self._missing()}
        new = [
            self._entry(found[number], segment.state, number)
            for number, segment in ready.items()
            if number in found
        ]
        self._list(new)
        self._files.update((entry.file.cited_as, entry) for entry in new)
        in_use = {entry.file_id for entry in self._files.values()}
        paths = [segment.path for number, segment in ready.items() if number in in_use]
        if paths != self._attached:
            self._opened().attach(paths)
            self._attached, self._services = paths, None
            self._segments.sweep(in_use)

    def _entry(self, file: LogFile, state: FileState, file_id: int | None = None) -> IndexedFile:
        if file_id is None:
            file_id, self._next_id = self._next_id, self._next_id + 1
        return IndexedFile(file_id, file, state, names_of(file.cited_as))

    def _list(self, entries: list[IndexedFile]) -> None:
        """Put files into the table that names them."""
        if entries:
            names = [entry.file.cited_as for entry in entries]
            self.connection.execute(
                "INSERT INTO files SELECT unnest(?), unnest(?), unnest(?)",
                [[entry.file_id for entry in entries], names, list(map(service_of, names))],
            )
            self._services = None

    def _load(self, files: list[LogFile]) -> None:
        """Read files in one transaction: an interrupted one leaves no half-read file behind."""
        connection = self.connection
        batch = Batch(connection, self.zone)
        connection.begin()
        try:
            loaded = [self._read(file, batch) for file in files]
            batch.flush()
            self._list(loaded)
            connection.commit()
        except BaseException:
            connection.rollback()
            raise
        self._files.update((entry.file.cited_as, entry) for entry in loaded)

    def _read(self, file: LogFile, batch: Batch) -> IndexedFile:
        text = TextFile(file.path, self.limits.read)
        entry = self._entry(file, FileState.WHOLE)
        for piece in text:
            batch.add(entry.file_id, piece)
        return IndexedFile(entry.file_id, file, text.state, entry.names)
