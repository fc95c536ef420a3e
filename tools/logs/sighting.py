"""Where a keyword may stand in files that are not indexed yet: the first question's short cut.

Two looks at a file. The first is quick and certain about absence only: raw blocks that are plain
ASCII without terminal sequences and do not hold the keyword's longest word, in any case. What it
cannot rule out is read as the index reads it, piece by piece, and the pieces with the keyword are
kept together with their neighbours, so that an event stands whole in what is kept.
"""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from tools.logs.database import folded_form
from tools.logs.folder import LogFile
from tools.logs.reader import FileState, Piece, ReadLimits, TextFile

_BLOCK_BYTES = 512 * 1024
_THREADS = 2
_LOWER = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"abcdefghijklmnopqrstuvwxyz")


@dataclass(slots=True)
class Sighting:
    """One file: runs of pieces that follow each other, and how the reading went."""

    file: LogFile
    state: FileState
    runs: list[list[Piece]] = field(default_factory=list)


class TooManySightings(Exception):
    """The keyword stands in more text than is worth reading without an index."""


def sight(
    files: list[LogFile], keyword: str, limits: ReadLimits, *, max_chars: int
) -> list[Sighting]:
    """All files with what of them must be read. Raises `TooManySightings` above `max_chars`."""
    word = _rare_word(keyword)
    pattern = re.compile(r"\s+".join(map(re.escape, keyword.split())), re.IGNORECASE)
    with ThreadPoolExecutor(_THREADS) as pool:
        states = list(pool.map(lambda file: _ruled_out(file, word, limits), files))
    room = max_chars
    found: list[Sighting] = []
    for file, state in zip(files, states, strict=True):
        if state is not None:
            found.append(Sighting(file, state))
            continue
        text = TextFile(file.path, limits, block_bytes=_BLOCK_BYTES)
        sighting = Sighting(file, FileState.WHOLE)
        for run in _runs(iter(text), pattern):
            sighting.runs.append(run)
            room -= sum(len(piece.text) for piece in run)
            if room < 0:
                raise TooManySightings
        sighting.state = text.state
        found.append(sighting)
    return found


def _rare_word(keyword: str) -> bytes | None:
    """The longest word as lower-case ASCII; None when raw bytes may spell it otherwise."""
    word = max(keyword.split(), key=len)
    return word.lower().encode() if word.isascii() and "\\" not in word else None


def _ruled_out(file: LogFile, word: bytes | None, limits: ReadLimits) -> FileState | None:
    """How the file was read if the word is certainly not in it, else None."""
    if word is None:
        return None
    text = TextFile(file.path, limits, block_bytes=_BLOCK_BYTES)
    carried = b""
    for block in text.blocks():
        if not block.isascii() or b"\x1b" in block:
            return None
        lower = block.translate(_LOWER)
        if word in lower or word in carried + lower[: len(word)]:
            return None
        carried = lower[-len(word) :]
    return text.state


def _runs(pieces: Iterator[Piece], pattern: re.Pattern[str]) -> Iterator[list[Piece]]:
    """Pieces with the keyword, each with the one before and the one after, joined where they meet.

    A keyword that spans two pieces does not count: pieces end where lines end.
    """
    before: Piece | None = None
    run: list[Piece] = []
    open_run = False
    for piece in pieces:
        if _holds(piece.text, pattern):
            if not run and before is not None:
                run.append(before)
            run.append(piece)
            open_run = True
        elif open_run:
            run.append(piece)
            open_run = False
        elif run:
            yield run
            run = []
        before = piece
    if run:
        yield run


def _holds(text: str, pattern: re.Pattern[str]) -> bool:
    if pattern.search(text):
        return True
    folded = None if text.isascii() else folded_form(text)
    return folded is not None and pattern.search(folded) is not None
