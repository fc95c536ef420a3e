"""The full-text index: SQLite FTS5 over terms of our own, kept by document.

Only terms go into FTS5 (table `terms`, which keeps no text); sections are stored beside them. A
file is shared by any number of processes: write-ahead log, every change in one exclusive
transaction, every search in one snapshot. Within a process one caller at a time: `library` holds
the lock.
"""

import contextlib
import json
import sqlite3
import time
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tools.knowledge.folder import FileStamp
from tools.knowledge.ranking import Hit, ranked_hits
from tools.knowledge.sections import Document, Section
from tools.knowledge.terms import text_terms
from tools.sqlite_files import switch_to_wal

BUSY_SECONDS = 60.0
"""How long to wait for another process that changes the index."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
    path TEXT PRIMARY KEY, mtime_ns INTEGER, size INTEGER, digest BLOB, title TEXT
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sections (
    id INTEGER PRIMARY KEY, path TEXT, heading TEXT, ancestors TEXT, line INTEGER, part INTEGER,
    text TEXT
);
CREATE INDEX IF NOT EXISTS sections_path ON sections (path);
CREATE VIRTUAL TABLE IF NOT EXISTS terms USING fts5 (
    title, heading, body, content = '', tokenize = 'porter unicode61'
);
"""
_COLUMNS = "heading, ancestors, line, part, text"


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file as it was indexed; `digest` of its bytes."""

    stamp: FileStamp
    digest: bytes


@dataclass(frozen=True, slots=True)
class Contents:
    """What the index holds: stamps by path, titles in path order, and how many files are known to
    be no text."""

    stamps: dict[str, FileStamp]
    titles: tuple[str, ...]
    sections: int
    unreadable: int


class SectionIndex:
    """Sections of documents by path, in a file or, without one, in a private temporary one.

    Raises `sqlite3.Error` where SQLite does. What changes it runs inside `changing`.
    """

    def __init__(self, file: Path | None = None) -> None:
        # an empty name is SQLite's own temporary file: unnamed, and in memory while it is small
        self._connection = sqlite3.connect(
            str(file or ""), timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        weakref.finalize(self, self._connection.close)
        self._contents: Contents | None = None
        self._seen_version = 0
        if file is not None:
            switch_to_wal(self._connection, time.monotonic() + BUSY_SECONDS)
        self._connection.execute("PRAGMA synchronous = NORMAL")
        with self.changing():
            for statement in _SCHEMA.split(";\n"):
                self._connection.execute(statement)

    def close(self) -> None:
        """Give the file back; the index is of no use afterwards."""
        self._connection.close()

    @contextlib.contextmanager
    def changing(self) -> Iterator[None]:
        """One exclusive transaction: another process waits, and sees all of it or nothing."""
        self._contents = None
        with self._transaction("BEGIN IMMEDIATE"):
            yield

    def contents(self) -> Contents:
        """What is indexed now; read again only when somebody has changed it."""
        (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        if self._contents is None or version != self._seen_version:
            with self._transaction("BEGIN"):
                self._contents, self._seen_version = self._read_contents(), version
        return self._contents

    def file(self, path: str) -> IndexedFile | None:
        """A file as it is indexed; None for one that is not."""
        row = self._connection.execute(
            "SELECT mtime_ns, size, digest FROM files WHERE path = ?", (path,)
        ).fetchone()
        return None if row is None else IndexedFile(FileStamp(row[0], row[1]), row[2])

    def replace(self, path: str, file: IndexedFile, document: Document | None) -> None:
        """Index a document in place of what its path held before; None notes a file that is no
        text, so that it is not read again."""
        self.remove(path)
        title = document and (document.title or PurePosixPath(path).stem)
        self._connection.execute(
            "INSERT INTO files VALUES (?, ?, ?, ?, ?)",
            (path, file.stamp.mtime_ns, file.stamp.size, file.digest, title),
        )
        if document is not None:
            for section in document.sections:
                self._add(path, str(title), section)

    def touch(self, path: str, stamp: FileStamp) -> None:
        """Note a new stamp for unchanged content."""
        self._connection.execute(
            "UPDATE files SET mtime_ns = ?, size = ? WHERE path = ?",
            (stamp.mtime_ns, stamp.size, path),
        )

    def remove(self, path: str) -> None:
        """Forget a document; an unknown path is none."""
        rows = self._connection.execute(
            f"SELECT id, title, {_COLUMNS} FROM sections JOIN files USING (path) WHERE path = ?",
            (path,),
        )
        for section_id, title, heading, ancestors, line, part, text in rows.fetchall():
            section = Section(heading, tuple(json.loads(ancestors)), line, part, text)
            # a table that keeps no text has to be told again what it is to forget
            self._connection.execute(
                "INSERT INTO terms (terms, rowid, title, heading, body)"
                " VALUES ('delete', ?, ?, ?, ?)",
                (section_id, *_terms_of(path, title, section)),
            )
        self._connection.execute("DELETE FROM sections WHERE path = ?", (path,))
        self._connection.execute("DELETE FROM files WHERE path = ?", (path,))

    def search(self, query: str, *, limit: int) -> list[Hit]:
        """The best sections, at most `limit`."""
        sections = self.contents().sections
        with self._transaction("BEGIN"):
            return ranked_hits(self._connection, query, sections=sections, limit=limit)

    @contextlib.contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        self._connection.execute(begin)
        try:
            yield
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def _read_contents(self) -> Contents:
        rows = self._connection.execute(
            "SELECT path, mtime_ns, size, title FROM files ORDER BY path"
        ).fetchall()
        (sections,) = self._connection.execute("SELECT count(*) FROM sections").fetchone()
        titles = tuple(title for *_, title in rows if title is not None)
        stamps = {path: FileStamp(mtime_ns, size) for path, mtime_ns, size, _ in rows}
        return Contents(stamps, titles, int(sections), len(rows) - len(titles))

    def _add(self, path: str, title: str, section: Section) -> None:
        ancestors = json.dumps(section.ancestors, ensure_ascii=False)
        cursor = self._connection.execute(
            f"INSERT INTO sections (path, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
            (path, section.heading, ancestors, section.line, section.part, section.text),
        )
        self._connection.execute(
            "INSERT INTO terms (rowid, title, heading, body) VALUES (?, ?, ?, ?)",
            (cursor.lastrowid, *_terms_of(path, title, section)),
        )


def _terms_of(path: str, title: str, section: Section) -> tuple[str, str, str]:
    """The three columns of `terms`: outer names, heading, text."""
    above = " ".join((PurePosixPath(path).stem, title, *section.ancestors))
    outer, heading, body = (
        " ".join(text_terms(text)) for text in (above, section.heading, section.text)
    )
    return outer, heading, body
