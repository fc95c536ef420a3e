"""The files of a knowledge folder: which they are, how they are read, and which are skipped.

Markdown files below the folder, at any depth. Names that begin with a dot are not looked at, and no
link leads out of the folder: a linked file counts when what it points to lies inside (so a mounted
ConfigMap works), a linked folder is never entered.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.evidence import ToolFailure

MAX_FILE_BYTES = 8 * 1024 * 1024
_SUFFIXES = (".md", ".markdown")


@dataclass(frozen=True, slots=True)
class FileStamp:
    """What tells cheaply that a file is unchanged; size in bytes."""

    mtime_ns: int
    size: int


@dataclass(frozen=True, slots=True)
class FolderListing:
    """Files by POSIX path relative to the folder, in path order; `skipped` counts the others."""

    files: dict[str, FileStamp]
    skipped: int


def list_folder(folder: Path) -> FolderListing:
    """What is there now. Raises `ToolFailure` when the folder is missing or unreadable."""
    root = os.path.realpath(folder)
    if not os.path.isdir(root):
        raise ToolFailure("KNOWLEDGE_FOLDER_MISSING", retryable=False)
    files: dict[str, FileStamp] = {}
    unreadable: list[OSError] = []
    skipped = 0
    for path in _markdown_paths(root, unreadable):
        relative = os.path.relpath(path, root).replace(os.sep, "/")
        stamp = _stamp(path, root) if _is_utf8(relative) else None
        if stamp is None:
            skipped += 1
        else:
            files[relative] = stamp
    if any(error.filename == root for error in unreadable):
        raise ToolFailure("KNOWLEDGE_FOLDER_UNREADABLE", retryable=True)
    return FolderListing(dict(sorted(files.items())), skipped + len(unreadable))


def read_file(folder: Path, relative: str) -> bytes | None:
    """A listed file's bytes; None when it is gone, unreadable or too large by now."""
    try:
        with open(os.path.join(os.path.realpath(folder), relative), "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError:
        return None
    return data if len(data) <= MAX_FILE_BYTES else None


def _markdown_paths(root: str, unreadable: list[OSError]) -> Iterator[str]:
    for directory, folders, names in os.walk(root, onerror=unreadable.append, followlinks=False):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if name.lower().endswith(_SUFFIXES) and not name.startswith("."):
                yield os.path.join(directory, name)


def _stamp(path: str, root: str) -> FileStamp | None:
    """None for what is not a regular file of a fitting size inside the folder."""
    try:
        if os.path.islink(path):
            path = os.path.realpath(path, strict=True)
            if os.path.commonpath([path, root]) != root:
                return None
        status = os.stat(path, follow_symlinks=False)
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE_BYTES:
        return None
    return FileStamp(status.st_mtime_ns, status.st_size)


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
