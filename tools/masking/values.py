r"""Where the value of a label ends: quoted at any depth of escaping, bare, or in a one-line list.

    password=hunter2&x=1      {\"password\": \"hunter2\"}      password%22%3A%22hunter2%22

A quoted value that a cut left without its end goes to the end of the line. Everything is read once.
"""

import re
from dataclasses import dataclass

QUOTE = r"""(?:\\{0,8}["'`]|%22|%27|&quot;|&#3[49];|\\{1,8}u002[27])"""
_OPENING = re.compile(QUOTE)
# a password may hold these too: they end a value only where something ends or a field begins
_CLOSING = r"""[,;&)\]}"'`]"""
_AFTER_CLOSING = (
    r"""(?:[\s,;&)\]}"'`<>\\，。；、）】」]|\Z|[A-Za-z_][\w.-]{0,40}["']?\s?(?:=|:\s|%3[Dd]))"""
)
_BARE = re.compile(
    r"""(?:[^\s,;&)\]}"'`<>\\%，。；、）】」…‹]"""
    r"|%(?!2[0267]|3[CcEe]|7[Dd]|0[AaDd])"
    r"""|\\(?![nrt"'`\\u])"""
    r"|‹(?=[a-z-]{3,11}:[0-9a-f]{6}›)"
    rf"|{_CLOSING}(?!{_AFTER_CLOSING}))++"
)
_REST_OF_LINE = re.compile(r"[^\r\n]*")
_LIST = re.compile(r"(?:\[[^\]\r\n]{1,4096}\]?|\([^)\r\n]{1,4096}\)?)")


@dataclass(frozen=True, slots=True)
class Span:
    """Where a value stands in its text; `quoted` when it came in quotes or brackets."""

    start: int
    end: int
    quoted: bool


def value_at(text: str, at: int) -> Span:
    """The value that begins at `at`, without its quotes; empty when there is none."""
    listed = _LIST.match(text, at)
    if listed is not None:
        return Span(at + 1, listed.end() - (listed[0][-1] in ")]"), quoted=True)
    opening = _OPENING.match(text, at)
    if opening is not None:
        start = opening.end()
        return Span(start, _closing(text, start, opening[0]), quoted=True)
    bare = _BARE.match(text, at)
    return Span(at, bare.end() if bare else at, quoted=False)


def _closing(text: str, start: int, opening: str) -> int:
    """Where the quote closes: the next one that is escaped exactly as the opening one is."""
    escapes = len(opening) - len(opening.lstrip("\\"))
    at = text.find(opening, start)
    while at >= 0:
        run = at
        while run > start and text[run - 1] == "\\":
            run -= 1
        # a quote inside the value has further backslashes; the value's own come in pairs
        if (at - run) % (2 * (escapes + 1)) == 0:
            return at
        at = text.find(opening, at + len(opening))
    rest = _REST_OF_LINE.match(text, start)
    return rest.end() if rest else start
