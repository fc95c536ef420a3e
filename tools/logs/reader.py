"""From bytes on disk to clean text: opening, unpacking, decoding, cutting at line ends.

Everything that files can do to a reader is answered here, and always with text or a `FileState`:

- Only regular files are opened, links are not followed, and nothing is waited for.
- gzip is told by its first bytes, not by the name, and unpacked up to a limit on its expansion.
- Encodings: UTF-8, or UTF-16 by its byte order mark. Bytes that do not decode become `\\xNN`.
- Terminal escape sequences are removed; every other control character but tab becomes a visible
  `\\xNN`. `\\r\\n` is a line end, a lone `\\r` is not. Line numbers are those of `\\n`.
- A file whose first 8 KiB hold more than 5 % control characters is binary and not read.
- A line is kept up to `max_line_chars`.
"""

import codecs
import gzip
import os
import re
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

_BLOCK_BYTES = 4 * 1024 * 1024
_SAMPLE_BYTES = 8 * 1024
_BINARY_SHARE = 0.05
_GZIP_MAGIC = b"\x1f\x8b"
_TERMINAL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[@-Z\\^_]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_CONTROL_BYTES = bytes(set(range(32)) - set(b"\t\n\r\x1b\b\f"))


class FileState(StrEnum):
    """How much of a file the index holds."""

    WHOLE = "whole"
    CUT = "cut at the size limit"
    DAMAGED = "damaged, read up to the damage"
    BINARY = "binary, not read"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """What one file may cost. A gzip file may grow `expansion`-fold, but always to 16 MiB."""

    max_file_bytes: int = 4 * 1024**3
    max_line_chars: int = 4 * 1024**2
    gzip_expansion: int = 200
    gzip_allowance_bytes: int = 16 * 1024**2


@dataclass(frozen=True, slots=True)
class Piece:
    """Whole lines of a file, joined by newlines; `first_line` counts from 1."""

    first_line: int
    text: str

    @property
    def next_line(self) -> int:
        return self.first_line + self.text.count("\n") + 1


def visible(text: str) -> str:
    """Text without terminal sequences, its remaining control characters escaped."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", _TERMINAL.sub("", text))


class TextFile:
    """One file as pieces of clean text; afterwards `state` says how it went.

    Iterating never raises for what the file is or holds.
    """

    def __init__(self, path: Path, limits: ReadLimits, *, block_bytes: int | None = None) -> None:
        self._path = path
        self._limits = limits
        self._block_bytes = block_bytes or _BLOCK_BYTES
        self.state = FileState.WHOLE

    def __iter__(self) -> Iterator[Piece]:
        first_line, rest, dropping = 1, "", False
        for text in self._texts():
            if dropping:
                _, newline, text = text.partition("\n")
                if not newline:
                    continue
                text, dropping = newline + text, False
            text = rest + text
            end = text.rfind("\n") + 1
            if end:
                yield Piece(first_line, _clean(text[:end])[:-1])
                first_line += text.count("\n")
            rest = text[end:]
            if len(rest) > self._limits.max_line_chars:
                rest, dropping = rest[: self._limits.max_line_chars], True
                self.state = FileState.CUT
        if rest:
            yield Piece(first_line, _clean(rest.removesuffix("\r")))

    def _texts(self) -> Iterator[str]:
        decoder = None
        for block in self.blocks():
            decoder = decoder or _decoder(block)
            yield decoder.decode(block)
        if decoder is not None:
            yield decoder.decode(b"", True)

    def blocks(self) -> Iterator[bytes]:
        """Raw or unpacked bytes up to the limits; nothing at all for a binary file."""
        try:
            with _open_regular(self._path) as file:
                packed = file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
                file.seek(0)
                size = os.fstat(file.fileno()).st_size
                blocks = self._unpacked(file) if packed else self._plain(file)
                yield from self._bounded(blocks, self._allowed_bytes(size, packed=packed))
        except OSError:
            self.state = FileState.UNREADABLE

    def _plain(self, file: BinaryIO) -> Iterator[bytes]:
        while block := file.read(self._block_bytes):
            yield block

    def _unpacked(self, file: BinaryIO) -> Iterator[bytes]:
        """Unpacked blocks up to the end or the damage."""
        with gzip.GzipFile(fileobj=file) as source:
            held = bytearray()
            try:
                while part := source.read1(self._block_bytes):
                    held += part
                    if len(held) >= self._block_bytes:
                        yield bytes(held)
                        held.clear()
            except (EOFError, zlib.error, gzip.BadGzipFile):
                self.state = FileState.DAMAGED
            if held:
                yield bytes(held)

    def _bounded(self, blocks: Iterator[bytes], allowed: int) -> Iterator[bytes]:
        first = True
        for block in blocks:
            if first and _is_binary(block[:_SAMPLE_BYTES]):
                self.state = FileState.BINARY
                return
            first = False
            if len(block) > allowed:
                self.state = FileState.CUT
                yield block[:allowed]
                return
            allowed -= len(block)
            yield block

    def _allowed_bytes(self, size: int, *, packed: bool) -> int:
        if not packed:
            return self._limits.max_file_bytes
        grown = max(self._limits.gzip_allowance_bytes, size * self._limits.gzip_expansion)
        return min(grown, self._limits.max_file_bytes)


def _open_regular(path: Path) -> BinaryIO:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError("not a regular file")
    return os.fdopen(descriptor, "rb")


def _decoder(block: bytes) -> codecs.IncrementalDecoder:
    utf16 = block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return codecs.getincrementaldecoder("utf-16" if utf16 else "utf-8")("backslashreplace")


def _is_binary(sample: bytes) -> bool:
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return False
    controls = len(sample) - len(sample.translate(None, _CONTROL_BYTES))
    return controls > len(sample) * _BINARY_SHARE


def _clean(text: str) -> str:
    text = text.replace("\r\n", "\n")
    if "\ufeff" in text:
        text = text.replace("\ufeff", "")
    return visible(text) if _CONTROL.search(text) else text
