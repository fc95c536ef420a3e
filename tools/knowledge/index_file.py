"""Where an index lies on disk: one private file a knowledge folder and index version.

An index holds nothing that its documents do not, so a broken one is thrown away and made again. A
version is part of the file's name: two releases at work on one data folder never meet in one file.
"""

import contextlib
import hashlib
import os
from pathlib import Path

from tools.sqlite_files import make_private

INDEX_VERSION = 1
"""Raise it with every change of what is stored or of how texts become sections and terms."""

_BESIDE = ("", "-wal", "-shm", "-journal")
"""What SQLite keeps beside a database, by the end of its name."""


class IndexFile:
    """The index file of `folder` below `index_folder`; nothing is touched before `make`."""

    def __init__(self, index_folder: Path, folder: Path) -> None:
        real = os.path.realpath(folder).encode("utf-8", "surrogateescape")
        self._stem = f"knowledge-{hashlib.blake2b(real, digest_size=8).hexdigest()}"
        self._identity: tuple[int, int] | None = None
        self.path = index_folder / f"{self._stem}-v{INDEX_VERSION}.sqlite"

    def make(self) -> None:
        """The file and its folder, readable by their owner only where they are new; files of
        other versions are removed when this one is new. Raises OSError."""
        is_new = not self.path.exists()
        status = make_private(self.path)
        self._identity = (status.st_dev, status.st_ino)
        if is_new:
            for other in self.path.parent.glob(f"{self._stem}-v*.sqlite"):
                if other != self.path:
                    _remove(other)

    def discard(self) -> None:
        """Remove the file that `make` met, unless another process has made it anew since."""
        with contextlib.suppress(FileNotFoundError):
            status = self.path.stat()
            if (status.st_dev, status.st_ino) == self._identity:
                _remove(self.path)


def _remove(path: Path) -> None:
    for ending in _BESIDE:
        path.with_name(path.name + ending).unlink(missing_ok=True)
