"""The released answer on stdout: laid out on a terminal, unbroken in a pipe, JSON on request.

The message is inert Markdown already (`release.message`); here it only gets its looks.
"""

import json
from io import StringIO
from typing import Any, ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.segment import Segment
from rich.text import Text

from graph.command.terminal import Terminal
from graph.state import State
from release.message import render_message
from release.released import Release
from release.vocabulary import ReleaseOutcome

EXIT_CODES = {
    ReleaseOutcome.SUCCESS: 0,
    ReleaseOutcome.FALLBACK: 0,
    ReleaseOutcome.FAILED: 1,
    ReleaseOutcome.CANCELLED: 130,
}
_MAX_WIDTH = 110
_UNBROKEN = 20_000
_QUOTE_MARK = "  | "


class _Quote(CodeBlock):
    """Quoted evidence behind a bar, whole and without colours of its own."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        inner = options.update(width=max(20, options.max_width - len(_QUOTE_MARK)))
        for line in console.render_lines(Text(str(self.text).rstrip()), inner, pad=False):
            yield Segment(_QUOTE_MARK, console.get_style("dim"))
            yield from line
            yield Segment.line()


class _Heading(Heading):
    """Left-bound; marked as in Markdown where no style can tell it from the text."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        mark = "#" * int(self.tag[1:]) + " " if console.color_system is None else ""
        yield Text(mark) + Text(self.text.plain, f"markdown.{self.tag}")


class _Message(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "fence": _Quote,
        "heading_open": _Heading,
    }


def print_release(terminal: Terminal, state: State, *, as_json: bool) -> int:
    """Prints the run's release; returns the exit code of its outcome."""
    release = state["release"]
    assert release is not None, "a finished run has its release"
    if as_json:
        terminal.write(_json(release, terminal.out))
    else:
        message = render_message(release, state["run"]["language"])
        _print_message(terminal, _Message(message, hyperlinks=False))
    return EXIT_CODES[ReleaseOutcome(release["outcome"])]


def _print_message(terminal: Terminal, message: Markdown) -> None:
    if terminal.out.is_terminal:
        terminal.out.print(message, width=min(terminal.out.width, _MAX_WIDTH))
        return
    # whoever reads a pipe breaks lines itself, and finds a quote on the line it stood on
    plain = Console(file=StringIO(), width=_UNBROKEN, color_system=None)
    lines = plain.render_lines(message, pad=False)
    texts = ("".join(segment.text for segment in line).rstrip() for line in lines)
    terminal.write("\n".join(texts).strip("\n"))


def _json(value: Release | list[Any], console: Console) -> str:
    readable = console.encoding.startswith("utf")
    return json.dumps(value, ensure_ascii=not readable, indent=2)
