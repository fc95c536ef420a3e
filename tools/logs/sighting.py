"""What of files that are not indexed yet a question needs: the first question's short cut.

Two looks at a file. The first is quick and certain about absence only: raw blocks that are plain
ASCII without terminal sequences and do not hold the keyword's longest word, in any case. What it
cannot rule out is read as the index reads it, piece by piece, and the pieces with the keyword are
kept together with their neighbours, so that an event stands whole in what is kept. Without a
keyword every piece is kept. All that is kept is bounded; what then was not looked at is counted.
"""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from tools.logs.database import folded_form
from tools.logs.folder import LogFile
from tools.logs.reader import FileState, Piece, ReadLimits, TextFile

_BLOCK_BYTES = 512 * 1024
_OPENING_BYTES = 2 * 1024
_THREADS = 2
_LOWER = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"abcdefghijklmnopqrstuvwxyz")


@dataclass(slots=True)
class Sighting:
    """One file: runs of pieces that follow each other, and how the reading went."""

    file: LogFile
    state: FileState
    runs: list[list[Piece]] = field(default_factory=list)


@dataclass(slots=True)
class Sighted:
    """Files looked at, and how many others were not, or not to their end."""

    files: list[Sighting] = field(default_factory=list)
    unseen: int = 0


def sight(
    files: list[LogFile], keyword: str | None, limits: ReadLimits, *, max_chars: int
) -> Sighted:
    """What of these files must be read, the first first, up to about `max_chars`."""
    word = _rare_word(keyword or "")
    pattern = re.compile(r"\s+".join(map(re.escape, (keyword or "").split())), re.IGNORECASE)
    with ThreadPoolExecutor(_THREADS) as pool:
        states = list(pool.map(lambda file: _ruled_out(file, word, limits), files))
    sighted = Sighted()
    for file, state in zip(files, states, strict=True):
        if state is not None:
            sighted.files.append(Sighting(file, state))
        elif max_chars <= 0:
            sighted.unseen += 1
        else:
            max_chars = _read(file, pattern, limits, max_chars, sighted)
    return sighted


def opening(file: LogFile, limits: ReadLimits) -> Sighting:
    """The first lines of a file."""
    text = TextFile(file.path, limits, block_bytes=_OPENING_BYTES)
    first = next(iter(text), None)
    return Sighting(file, text.state, [[first]] if first else [])


def _read(
    file: LogFile, pattern: re.Pattern[str], limits: ReadLimits, room: int, sighted: Sighted
) -> int:
    """Keep what must be read of one file; returns the room that is left."""
    text = TextFile(file.path, limits, block_bytes=_BLOCK_BYTES)
    sighting = Sighting(file, FileState.WHOLE)
    sighted.files.append(sighting)
    for piece, joined in _kept(iter(text), pattern):
        if room <= 0:
            sighted.unseen += 1
            return room
        if not joined:
            sighting.runs.append([])
        sighting.runs[-1].append(piece)
        room -= len(piece.text)
    sighting.state = text.state
    return room


def _rare_word(keyword: str) -> bytes | None:
    """The longest word as lower-case ASCII; None when raw bytes may spell it otherwise."""
    word = max(keyword.split(), key=len, default="")
    return word.lower().encode() if word and word.isascii() and "\\" not in word else None


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


def _kept(pieces: Iterator[Piece], pattern: re.Pattern[str]) -> Iterator[tuple[Piece, bool]]:
    """Pieces with the keyword, each with the one before and the one after, and whether a piece
    goes on where the one given out before it ended.

    A keyword that spans two pieces does not count: pieces end where lines end.
    """
    before: Piece | None = None
    after_hit, joined = False, False
    for piece in pieces:
        hit = _holds(piece.text, pattern)
        if hit and before is not None:
            yield before, joined
            joined = True
        if hit or after_hit:
            yield piece, joined
            before, joined = None, True
        else:
            joined = joined and before is None
            before = piece
        after_hit = hit


def _holds(text: str, pattern: re.Pattern[str]) -> bool:
    if pattern.search(text):
        return True
    folded = None if text.isascii() else folded_form(text)
    return folded is not None and pattern.search(folded) is not None
