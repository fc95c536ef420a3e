"""The index on disk: one Parquet file a large log file, so that a process finds what another read.

A segment is named by what it holds: the log file's name and signature, within a folder
named by the log folder, the zone of lines without one, the read limits and the form of the index.
It never changes: another content is another segment, and what no file has any more is swept away.
The folder is its owner's alone, and moving into place is atomic, so any number of processes may
share it. Without a folder the segments are temporary.
"""

import hashlib
import shutil
import tempfile
import time
import weakref
from dataclasses import dataclass
from datetime import tzinfo
from functools import cached_property
from pathlib import Path

from tools.logs.folder import LogFile
from tools.logs.reader import FileState, ReadLimits

_FORM = 1
"""Part of every name. Raise it whenever lines are read or stored in another way."""
_GRACE_SECONDS = 600.0
_ID_BITS = 62


@dataclass(frozen=True, slots=True)
class Segment:
    """One log file as read once: where its lines lie and how the reading went."""

    file_id: int
    path: Path
    state: FileState


class SegmentFolder:
    """The segments of one log folder. Methods raise OSError for the folder itself."""

    def __init__(self, kept_in: Path | None, root: Path, zone: tzinfo, limits: ReadLimits) -> None:
        self._kept_in = kept_in
        self._name = _digest(str(root.absolute()), str(zone), repr(limits), str(_FORM))[:24]

    @cached_property
    def path(self) -> Path:
        """The folder, made when first asked for."""
        base = self._kept_in
        if base is None:
            base = Path(tempfile.mkdtemp(prefix="query-logs-"))
            # also when nobody closes: at collection or the end of the process
            weakref.finalize(self, shutil.rmtree, base, ignore_errors=True)
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        (base / self._name).mkdir(mode=0o700, exist_ok=True)
        return base / self._name

    def close(self) -> None:
        """Drop segments that are only temporary."""
        if self._kept_in is None and "path" in self.__dict__:
            shutil.rmtree(self.path.parent, ignore_errors=True)
            del self.path

    def ready(self) -> dict[int, Segment]:
        """All segments that are there, by the id of their lines."""
        found: dict[int, Segment] = {}
        for path in self.path.glob("*.parquet"):
            number, _, state = path.stem.partition("-")
            if number.isdecimal() and state in FileState.__members__:
                found[int(number)] = Segment(int(number), path, FileState[state])
        return found

    def place(self, file: LogFile, state: FileState) -> Path:
        """Where the segment of a file belongs that was read with this outcome."""
        return self.path / f"{segment_id(file)}-{state.name}.parquet"

    def sweep(self, live: set[int]) -> None:
        """Remove what no log file has any more, once it is old enough that nobody is at it."""
        before = time.time() - _GRACE_SECONDS
        for path in self.path.iterdir():
            number = path.stem.partition("-")[0]
            if number.isdecimal() and int(number) in live:
                continue
            if path.stat().st_mtime < before:
                path.unlink(missing_ok=True)


def segment_id(file: LogFile) -> int:
    """The id of a file's lines in a segment: the same for the same name and signature, large."""
    digest = _digest(file.cited_as, *map(str, file.signature))
    return int(digest[:16], 16) >> (64 - _ID_BITS) | 1 << (_ID_BITS - 1)


def _digest(*parts: str) -> str:
    text = "\x00".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).hexdigest()
