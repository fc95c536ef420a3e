"""A knowledge folder kept indexed: brought up to date before each search, one caller at a time.

The first use builds the index, or opens the one on disk. After that a file is read again only when
its time or size changed, and indexed again only when its content did. Blocking; call it from a
thread.
"""

import hashlib
import itertools
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tools.evidence import ToolFailure
from tools.knowledge.folder import FileStamp, list_folder, read_file
from tools.knowledge.index import IndexedFile, SectionIndex
from tools.knowledge.index_file import IndexFile
from tools.knowledge.ranking import Hit
from tools.knowledge.sections import parse_document

FILES_A_CHANGE = 500
"""What is indexed is kept after this many files, should the process be killed while it builds."""

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Holdings:
    """What the library held when it was last brought up to date."""

    titles: tuple[str, ...]
    sections: int
    skipped: int
    """Files not read: no permission, not UTF-8, too large, a link out of the folder."""


class KnowledgeLibrary:
    """The indexed folder. Methods raise `ToolFailure` (codes in `tools.knowledge`).

    The index lies below `index_folder`; without one it is temporary.
    """

    def __init__(self, folder: Path, index_folder: Path | None = None) -> None:
        self._folder = folder
        self._file = IndexFile(index_folder, folder) if index_folder else None
        self._lock = threading.Lock()
        self._index: SectionIndex | None = None
        self._holdings: Holdings | None = None

    @property
    def holdings(self) -> Holdings | None:
        """As of the last refresh; None before the first. Does no I/O."""
        return self._holdings

    def refresh(self) -> Holdings:
        """Bring the index up to date with the folder."""
        return self._with_index(self._refreshed)

    def search(self, query: str, *, limit: int) -> list[Hit]:
        """The best sections for a query, at most `limit`, in an index that is up to date."""

        def searched(index: SectionIndex) -> list[Hit]:
            self._refreshed(index)
            return index.search(query, limit=limit)

        return self._with_index(searched)

    def _with_index(self, use: Callable[[SectionIndex], _Answer]) -> _Answer:
        """One caller at a time. A corrupt file is made anew at once; an index that broke otherwise
        is opened again by the next caller."""
        with self._lock:
            try:
                return self._used(use)
            except sqlite3.DatabaseError as error:
                if not _is_corrupt(error) or self._file is None:
                    raise _failure(error) from None
            try:
                self._file.discard()
                return self._used(use)
            except (sqlite3.Error, OSError) as error:
                raise _failure(error) from None

    def _used(self, use: Callable[[SectionIndex], _Answer]) -> _Answer:
        try:
            if self._index is None:
                self._index = self._opened()
            return use(self._index)
        except sqlite3.Error:
            index, self._index = self._index, None
            if index is not None:
                index.close()
            raise

    def _opened(self) -> SectionIndex:
        if self._file is None:
            return SectionIndex()
        try:
            self._file.make()
        except OSError:
            raise ToolFailure("KNOWLEDGE_INDEX_FAILED", retryable=True) from None
        return SectionIndex(self._file.path)

    def _refreshed(self, index: SectionIndex) -> Holdings:
        # what is indexed is asked before what is there: a file that another process adds in
        # between is then left alone, not taken for one that has gone
        contents = index.contents()
        listing = list_folder(self._folder)
        unread = 0
        if contents.stamps != listing.files:
            unread = self._catch_up(index, contents.stamps, listing.files)
            contents = index.contents()
        skipped = listing.skipped + contents.unreadable + unread
        if skipped and not contents.titles:
            raise ToolFailure("KNOWLEDGE_UNREADABLE", retryable=True)
        self._holdings = Holdings(contents.titles, contents.sections, skipped)
        return self._holdings

    def _catch_up(
        self, index: SectionIndex, indexed: dict[str, FileStamp], there: dict[str, FileStamp]
    ) -> int:
        """Index what differs; how many files could not be read."""
        differing = (
            path for path in sorted({*indexed, *there}) if indexed.get(path) != there.get(path)
        )
        unread = 0
        while batch := list(itertools.islice(differing, FILES_A_CHANGE)):
            with index.changing():
                unread += sum(not self._update(index, path, there.get(path)) for path in batch)
        return unread

    def _update(self, index: SectionIndex, path: str, stamp: FileStamp | None) -> bool:
        """Follow one file that is new, changed or (without a stamp) gone; False when it cannot be
        read, and then it is not indexed."""
        if stamp is None:
            index.remove(path)
            return True
        known = index.file(path)
        if known is not None and known.stamp == stamp:
            return True  # another process was quicker
        data = read_file(self._folder, path)
        if data is None:
            index.remove(path)
            return False
        digest = hashlib.blake2b(data, digest_size=16).digest()
        if known is not None and known.digest == digest:
            index.touch(path, stamp)
        else:
            text = _decoded(data)
            document = None if text is None else parse_document(text)
            index.replace(path, IndexedFile(stamp, digest), document)
        return True


def _is_corrupt(error: sqlite3.DatabaseError) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without SQLite's extension of a code
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _failure(error: Exception) -> ToolFailure:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    busy = code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return ToolFailure("KNOWLEDGE_INDEX_BUSY" if busy else "KNOWLEDGE_INDEX_FAILED", retryable=True)


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
