"""Text as inert Markdown: no image, link, HTML, heading or control character comes out of it."""

import re

from release.plain_text import visible

_ADDRESS = re.compile(r"((?:\b[A-Za-z][A-Za-z0-9+.-]*://|\bwww\.)[!-_a-~]*)")
_ACTIVE = re.compile(r"[\\`*\[\]<|~]|&(?=[#\w])|(?<![^\W_])_|_(?![^\W_])")
# a backslash where these end takes away their meaning at the start of a block
_BLOCK_START = re.compile(r"\d{1,9}(?=[.)](?:\s|\Z))|(?=[#>]|[-+](?:\s|\Z)|--)")
_LIST_MARKER = re.compile(r"(?:-|\d{1,9}[.)]) ")
_BACKTICKS = re.compile(r"`+")


def inline(text: str) -> str:
    """One line of prose; addresses become inline code, all else that could act is escaped."""
    line = " ".join(visible(text).split())
    parts = _ADDRESS.split(line)
    shown = "".join(
        code(part) if index % 2 else _ACTIVE.sub(r"\\\g<0>", part)
        for index, part in enumerate(parts)
    )
    start = _BLOCK_START.match(shown)
    return f"{shown[: start.end()]}\\{shown[start.end() :]}" if start else shown


def paragraphs(text: str) -> str:
    """Prose of several lines, each its own paragraph or list item."""
    lines = (_paragraph(line) for line in visible(text).splitlines())
    return "\n\n".join(line for line in lines if line)


def code(text: str) -> str:
    """Inline code, whatever backticks the text holds."""
    line = " ".join(visible(text).split())
    ticks = "`" * (_longest_run(line) + 1)
    padding = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{padding}{line}{padding}{ticks}"


def fenced(text: str) -> str:
    """A code block whose fence is longer than any run of backticks inside."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}text\n{visible(text)}\n{fence}"


def bullets(lines: list[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _paragraph(line: str) -> str:
    text = " ".join(line.split())
    marker = _LIST_MARKER.match(text)
    return marker[0] + inline(text[marker.end() :]) if marker else inline(text)


def _longest_run(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)
