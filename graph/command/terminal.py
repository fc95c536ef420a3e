"""The two streams: answers on stdout, everything else on stderr; either may close early."""

import os
import sys
from dataclasses import dataclass
from typing import TextIO

from rich.console import Console
from rich.text import Text

_PIPE_COLUMNS = 160


@dataclass(frozen=True, slots=True)
class Terminal:
    """`out` carries the answer alone; `err` progress, notices and errors."""

    out: Console
    err: Console

    def say(self, line: str, style: str = "") -> None:
        """One line on stderr, nothing in it read as markup; only a terminal breaks it."""
        self.err.print(Text(line, style), soft_wrap=not self.err.is_terminal)

    def gap(self) -> None:
        """An empty line between progress and answer, where a person sees both."""
        if self.err.is_terminal and self.out.is_terminal:
            self.err.print()

    def write(self, text: str) -> None:
        """Text on stdout, untouched, and a line feed."""
        self.out.out(text, highlight=False)


class _Console(Console):
    """A console whose reader may go away: a run is not lost because nobody looks."""

    def on_broken_pipe(self) -> None:
        """Be silent from now on; the interpreter's last flush goes nowhere, too."""
        self.quiet = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.file.fileno())
        os.close(nowhere)


def open_terminal(*, no_color: bool) -> Terminal:
    """The process's own streams. `no_color`, or NO_COLOR in the environment, means no styles."""
    plain = no_color or bool(os.environ.get("NO_COLOR"))
    return Terminal(_console(sys.stdout, plain), _console(sys.stderr, plain))


def _console(stream: TextIO, plain: bool) -> Console:
    return _Console(
        file=stream,
        width=None if stream.isatty() else _PIPE_COLUMNS,
        color_system=None if plain else "auto",
        markup=False,
        emoji=False,
        highlight=False,
    )
