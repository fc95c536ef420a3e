"""A knowledge folder kept indexed: brought up to date before each search, one caller at a time.

The first use builds the index. After that a file is read again only when its time or size changed,
and indexed again only when its content did. Blocking; call it from a thread.
"""

import contextlib
import hashlib
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.evidence import ToolFailure
from tools.knowledge.folder import FileStamp, list_folder, read_file
from tools.knowledge.index import IndexedFile, SectionIndex
from tools.knowledge.ranking import Hit
from tools.knowledge.sections import parse_document


@dataclass(frozen=True, slots=True)
class Holdings:
    """What the library held when it was last brought up to date."""

    titles: tuple[str, ...]
    sections: int
    skipped: int
    """Files not read: no permission, not UTF-8, too large, a link out of the folder."""


class KnowledgeLibrary:
    """The indexed folder. Methods raise `ToolFailure` (codes in `tools.knowledge`)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._index: SectionIndex | None = None
        self._holdings: Holdings | None = None

    @property
    def holdings(self) -> Holdings | None:
        """As of the last refresh; None before the first. Does no I/O."""
        return self._holdings

    def refresh(self) -> Holdings:
        """Bring the index up to date with the folder."""
        with self._in_use() as index:
            return self._refreshed(index)

    def search(self, query: str, *, limit: int) -> list[Hit]:
        """The best sections for a query, at most `limit`, in an index that is up to date."""
        with self._in_use() as index:
            self._refreshed(index)
            return index.search(query, limit=limit)

    @contextlib.contextmanager
    def _in_use(self) -> Iterator[SectionIndex]:
        """The index, for one caller. One that broke is thrown away: the next caller builds anew."""
        with self._lock:
            try:
                if self._index is None:
                    self._index = SectionIndex()
                yield self._index
            except sqlite3.Error:
                self._index = None
                raise ToolFailure("KNOWLEDGE_INDEX_FAILED", retryable=True) from None

    def _refreshed(self, index: SectionIndex) -> Holdings:
        listing = list_folder(self._folder)
        indexed = index.files()
        skipped = listing.skipped
        for path in indexed.keys() - listing.files.keys():
            index.remove(path)
        for path, stamp in listing.files.items():
            known = indexed.get(path)
            if known is None or known.stamp != stamp:
                skipped += not self._update(index, path, stamp, known)
        titles = tuple(index.titles())
        if skipped and not titles:
            raise ToolFailure("KNOWLEDGE_UNREADABLE", retryable=True)
        self._holdings = Holdings(titles, index.section_count(), skipped)
        return self._holdings

    def _update(
        self, index: SectionIndex, path: str, stamp: FileStamp, known: IndexedFile | None
    ) -> bool:
        """Read a new or changed file; False when it cannot be read, and then it is not indexed."""
        data = read_file(self._folder, path)
        text = None if data is None else _decoded(data)
        if data is None or text is None:
            index.remove(path)
            return False
        digest = hashlib.blake2b(data, digest_size=16).digest()
        if known is not None and known.digest == digest:
            index.touch(path, stamp)
        else:
            index.replace(path, IndexedFile(stamp, digest), parse_document(text))
        return True


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
