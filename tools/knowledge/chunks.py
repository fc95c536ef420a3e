"""Bounded pieces of a section: cut between blocks, then groups, lines, characters, in that order.

A table is cut between rows and every piece repeats its header. Sizes are UTF-8 bytes, and a cut
never falls inside a character. A cut inside a line is marked with `…` on both sides.
"""

from collections.abc import Iterator
from dataclasses import dataclass

CUT_MARK = "…"
_MARK_BYTES = 2 * len(CUT_MARK.encode())
_BREAKS = "。！？；，.!?;, "
"""Where a long line is cut by preference, if one stands in the last quarter."""


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive lines that belong together; `line` is the number of the first, from 1."""

    line: int
    lines: tuple[str, ...]
    header_lines: int = 0
    """For a table: how many leading lines are repeated with each piece; else 0."""

    def text(self) -> str:
        """The lines as they stand, without white space at the end."""
        return "\n".join(self.lines).rstrip()


@dataclass(frozen=True, slots=True)
class Chunk:
    """At most `max_bytes` of text. `part` counts the chunks that start on the same line, from 1."""

    line: int
    part: int
    text: str


def chunked(blocks: list[Block], *, max_bytes: int) -> list[Chunk]:
    """The blocks packed into as few chunks as their order allows; blank chunks are left out."""
    chunks: list[Chunk] = []
    line, gathered = 0, ""
    for start, text in _pieces(blocks, max_bytes):
        joined = f"{gathered}\n{text}" if gathered else text
        if gathered and _size(joined) > max_bytes:
            _append(chunks, line, gathered)
            joined, gathered = text, ""
        line, gathered = (line if gathered else start), joined
    _append(chunks, line, gathered)
    return chunks


def _append(chunks: list[Chunk], line: int, text: str) -> None:
    shown = text.rstrip().lstrip("\n")
    if shown:
        line += len(text.rstrip()) - len(shown)
        part = chunks[-1].part + 1 if chunks and chunks[-1].line == line else 1
        chunks.append(Chunk(line, part, shown))


def _pieces(blocks: list[Block], max_bytes: int) -> Iterator[tuple[int, str]]:
    for block in blocks:
        if _size(block.text()) <= max_bytes:
            yield block.line, "\n".join(block.lines)
        elif block.header_lines:
            yield from _table_pieces(block, max_bytes)
        else:
            yield from _line_pieces(block.line, block.lines, max_bytes)


def _table_pieces(block: Block, max_bytes: int) -> Iterator[tuple[int, str]]:
    header = "\n".join(block.lines[: block.header_lines])
    if _size(header) > max_bytes // 2:
        header = next(_cut(header, max_bytes // 2))
    room = max_bytes - _size(header) - 1
    rows = block.lines[block.header_lines :]
    for line, text in _line_pieces(block.line + block.header_lines, rows, room):
        yield line, f"{header}\n{text}"


def _line_pieces(first: int, lines: tuple[str, ...], max_bytes: int) -> Iterator[tuple[int, str]]:
    """Lines packed to the limit, broken at the last blank line where there is one."""
    start, gathered, bytes_used = first, list[str](), 0
    for number, line in enumerate(lines, first):
        size = _size(line) + 1
        if gathered and bytes_used + size > max_bytes:
            head = _up_to_blank(gathered)
            yield start, "\n".join(gathered[:head])
            gathered = gathered[head:]
            start, bytes_used = start + head, sum(_size(kept) + 1 for kept in gathered)
            if gathered and bytes_used + size > max_bytes:
                yield start, "\n".join(gathered)
                gathered, bytes_used = [], 0
        if size > max_bytes:
            yield from ((number, piece) for piece in _cut(line, max_bytes))
            continue
        if not gathered:
            start = number
        gathered.append(line)
        bytes_used += size
    if gathered:
        yield start, "\n".join(gathered)


def _up_to_blank(lines: list[str]) -> int:
    """How many lines to give out: up to the last blank one in the second half, else all."""
    for index in range(len(lines) - 1, len(lines) // 2, -1):
        if not lines[index].strip():
            return index + 1
    return len(lines)


def _cut(line: str, max_bytes: int) -> Iterator[str]:
    """A long line in pieces of whole characters, each at most `max_bytes` with its marks."""
    room = max(max_bytes - _MARK_BYTES, 4)
    data = line.encode("utf-8", "replace")
    at = 0
    while at < len(data):
        piece = data[at : at + room].decode("utf-8", "ignore")
        last = at + len(piece.encode()) >= len(data)
        if not last:
            piece = piece[: _preferred_end(piece)]
        yield (CUT_MARK if at else "") + piece + ("" if last else CUT_MARK)
        at += len(piece.encode())


def _preferred_end(piece: str) -> int:
    at = max(piece.rfind(mark) for mark in _BREAKS) + 1
    return at if at > len(piece) * 3 // 4 else len(piece)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
