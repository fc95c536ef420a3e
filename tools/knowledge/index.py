"""The full-text index: SQLite FTS5 over terms of our own, kept by document.

Only terms go into FTS5 (table `terms`); sections are stored beside them. Everything needed to bring
the index up to date lies in the same database: a file in place of memory is a matter of its name.
Not safe for concurrent use: `library` holds the lock.
"""

import json
import sqlite3
import weakref
from dataclasses import dataclass
from pathlib import PurePosixPath

from tools.knowledge.folder import FileStamp
from tools.knowledge.ranking import Hit, ranked_hits
from tools.knowledge.sections import Document, Section
from tools.knowledge.terms import text_terms

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
    title, heading, body, tokenize = 'porter unicode61'
);
"""


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file as it was indexed; `digest` of its bytes."""

    stamp: FileStamp
    digest: bytes


class SectionIndex:
    """Sections of documents by path. Raises `sqlite3.Error` where SQLite does."""

    def __init__(self, database: str = ":memory:") -> None:
        self._connection = sqlite3.connect(database, check_same_thread=False)
        weakref.finalize(self, self._connection.close)
        self._connection.executescript(_SCHEMA)

    def files(self) -> dict[str, IndexedFile]:
        """What is indexed, by path."""
        rows = self._connection.execute("SELECT path, mtime_ns, size, digest FROM files")
        return {
            path: IndexedFile(FileStamp(mtime_ns, size), digest)
            for path, mtime_ns, size, digest in rows
        }

    def titles(self) -> list[str]:
        """The titles of the documents, in path order."""
        rows = self._connection.execute("SELECT title FROM files ORDER BY path")
        return [title for (title,) in rows]

    def section_count(self) -> int:
        """How many sections are indexed."""
        (count,) = self._connection.execute("SELECT count(*) FROM sections").fetchone()
        return int(count)

    def replace(self, path: str, file: IndexedFile, document: Document) -> None:
        """Index a document in place of what its path held before."""
        self.remove(path)
        title = document.title or PurePosixPath(path).stem
        with self._connection:
            self._connection.execute(
                "INSERT INTO files VALUES (?, ?, ?, ?, ?)",
                (path, file.stamp.mtime_ns, file.stamp.size, file.digest, title),
            )
            for section in document.sections:
                self._add(path, title, section)

    def touch(self, path: str, stamp: FileStamp) -> None:
        """Note a new stamp for unchanged content."""
        with self._connection:
            self._connection.execute(
                "UPDATE files SET mtime_ns = ?, size = ? WHERE path = ?",
                (stamp.mtime_ns, stamp.size, path),
            )

    def remove(self, path: str) -> None:
        """Forget a document; an unknown path is none."""
        with self._connection:
            self._connection.execute(
                "DELETE FROM terms WHERE rowid IN (SELECT id FROM sections WHERE path = ?)", (path,)
            )
            self._connection.execute("DELETE FROM sections WHERE path = ?", (path,))
            self._connection.execute("DELETE FROM files WHERE path = ?", (path,))

    def search(self, query: str, *, limit: int) -> list[Hit]:
        """The best sections, at most `limit`."""
        return ranked_hits(self._connection, query, limit=limit)

    def _add(self, path: str, title: str, section: Section) -> None:
        cursor = self._connection.execute(
            "INSERT INTO sections (path, heading, ancestors, line, part, text)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (
                path,
                section.heading,
                json.dumps(section.ancestors, ensure_ascii=False),
                section.line,
                section.part,
                section.text,
            ),
        )
        above = " ".join((PurePosixPath(path).stem, title, *section.ancestors))
        columns = (" ".join(text_terms(text)) for text in (above, section.heading, section.text))
        self._connection.execute(
            "INSERT INTO terms (rowid, title, heading, body) VALUES (?, ?, ?, ?)",
            (cursor.lastrowid, *columns),
        )
