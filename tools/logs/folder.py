"""Which files the log folder holds, and which service a file speaks for by its name.

The folder is walked afresh for every query. Links are never followed: what they point at inside
the folder is found where it stands, and what lies outside is none of ours. Hidden files and
folders are left out. A name given by a user or model is only ever compared, never made a path.
"""

import os
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tools.logs.reader import visible

_PACKED_FACTOR = 10
UNREADABLE_FOLDER = "unreadable folder"
OVER_THE_LIMIT = "over the file limit"
_POD = re.compile(r"-[bcdfghjklmnpqrstvwxz0-9]{6,10}-[bcdfghjklmnpqrstvwxz0-9]{5}$|-\d{1,3}$")
_KUBELET = re.compile(r"^[a-z0-9.-]+_[a-z0-9-]+_([a-z0-9-]+)-[0-9a-f]{64}$")
_ROTATION = re.compile(
    r"(?:\.(?:gz|log|jsonl?|ndjson|txt|out|err|\d{1,4})|[._-]\d{4}-?\d{2}-?\d{2}(?:[T_-]?\d{2,6})?)$"
)
_NAMES_NOTHING = re.compile(
    r"(?:\d*|app|application|access|console|current|errors?|err|logs?|main|messages|out|output|"
    r"server|stderr|stdout|syslog|system)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class LogFile:
    """A regular file: where it is, how it is cited, and what tells one content from another: its
    time of writing, size, inode and time of change, which nobody can set back."""

    path: Path
    cited_as: str
    signature: tuple[int, int, int, int]

    @property
    def weight(self) -> int:
        """Its bytes to read, about: packed ones count tenfold."""
        return self.signature[1] * (_PACKED_FACTOR if self.cited_as.endswith(".gz") else 1)


@dataclass(slots=True)
class Walk:
    """What one walk found; `passed_over` counts what it did not take, by reason."""

    files: list[LogFile] = field(default_factory=list)
    passed_over: Counter[str] = field(default_factory=Counter)

    @property
    def unsearched(self) -> list[str]:
        """What may hold logs and was not looked into, in words: any answer is a part without it."""
        reasons = (UNREADABLE_FOLDER, OVER_THE_LIMIT)
        return [f"{n} {reason}" for reason in reasons if (n := self.passed_over[reason])]


def walk(root: Path, max_files: int) -> Walk:
    """All log files below `root`, in the order of their paths. Raises OSError for `root` itself."""
    found = Walk()
    folders = [root]
    with os.scandir(root):
        pass
    while folders:
        folder = folders.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name, reverse=True)
        except OSError:
            found.passed_over[UNREADABLE_FOLDER] += 1
            continue
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                folders.append(Path(entry.path))
            else:
                _take(entry, root, found)
    found.files.sort(key=lambda file: file.cited_as)
    found.passed_over[OVER_THE_LIMIT] = max(0, len(found.files) - max_files)
    del found.files[max_files:]
    return found


def _take(entry: os.DirEntry[str], root: Path, found: Walk) -> None:
    if entry.is_symlink():
        found.passed_over["link"] += 1
    elif not entry.is_file(follow_symlinks=False):
        found.passed_over["not a regular file"] += 1
    else:
        status = entry.stat(follow_symlinks=False)
        path = Path(entry.path)
        relative = os.fsencode(path.relative_to(root).as_posix())
        found.files.append(
            LogFile(
                path=path,
                cited_as=_printable(relative),
                signature=(
                    status.st_mtime_ns,
                    status.st_size,
                    status.st_ino,
                    status.st_ctime_ns,
                ),
            )
        )


def _printable(name: bytes) -> str:
    return visible(name.decode("utf-8", "backslashreplace")).replace("\n", "\\x0a")


def service_of(cited_as: str) -> str:
    """The service a file is named after: its stem without rotation and pod suffixes.

    A stem that names nothing (`app.log`, `stdout.log`) gives way to the folder it lies in.
    """
    *folders, name = cited_as.split("/")
    for candidate in [name, *reversed(folders)]:
        stem = without_pod_suffix(_without_rotation(candidate))
        if not _NAMES_NOTHING.fullmatch(stem):
            return stem
    return name


def names_of(cited_as: str) -> list[str]:
    """Every name a file answers to: its service, its stem, and the folders above it."""
    *folders, name = cited_as.split("/")
    return [service_of(cited_as), _without_rotation(name), *folders]


def without_pod_suffix(name: str) -> str:
    """A Kubernetes workload's name from its pod's or container log's name."""
    if kubelet := _KUBELET.match(name):
        return kubelet[1]
    return _POD.sub("", name)


def _without_rotation(name: str) -> str:
    while (shorter := _ROTATION.sub("", name)) not in (name, ""):
        name = shorter
    return name
