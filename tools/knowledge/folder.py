"""The files of a knowledge folder: which they are, how they are read, and which are skipped.

Markdown files below the folder, at any depth. Names that begin with a dot are not looked at, and no
link leads out of the folder: a linked file counts when what it points to lies inside (so a mounted
ConfigMap works), a linked folder is never entered.
"""

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tools.evidence import ToolFailure

MAX_FILE_BYTES = 8 * 1024 * 1024
_SUFFIXES = (".md", ".markdown")


class FileStamp(NamedTuple):
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
    skipped = 0
    waiting = [""]
    while waiting:
        below = waiting.pop()
        try:
            entries = _entries(os.path.join(root, below))
        except OSError:
            if not below:
                raise ToolFailure("KNOWLEDGE_FOLDER_UNREADABLE", retryable=True) from None
            skipped += 1
            continue
        for entry in entries:
            if _is_folder(entry):
                waiting.append(f"{below}{entry.name}/")
            elif entry.name.lower().endswith(_SUFFIXES):
                stamp = _stamp(entry, root)
                if stamp is None or not _is_utf8(path := below + entry.name):
                    skipped += 1
                else:
                    files[path] = stamp
    return FolderListing(dict(sorted(files.items())), skipped)


def read_file(folder: Path, relative: str) -> bytes | None:
    """A listed file's bytes; None when it is gone, unreadable or too large by now."""
    try:
        with open(os.path.join(os.path.realpath(folder), relative), "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError:
        return None
    return data if len(data) <= MAX_FILE_BYTES else None


def _entries(directory: str) -> list[os.DirEntry[str]]:
    with os.scandir(directory) as entries:
        return [entry for entry in entries if not entry.name.startswith(".")]


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _stamp(entry: os.DirEntry[str], root: str) -> FileStamp | None:
    """None for what is not a regular file of a fitting size inside the folder."""
    try:
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISLNK(status.st_mode):
            target = os.path.realpath(entry.path, strict=True)
            if os.path.commonpath([target, root]) != root:
                return None
            status = os.stat(target, follow_symlinks=False)
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
