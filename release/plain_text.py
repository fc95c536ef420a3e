"""Text made safe to show: whole characters, bounded, nothing in it that acts on a screen."""

import re
import unicodedata

_CUT_MARK = "…"
# line feed, tab, and the joiners that emoji and several scripts are written with
_KEPT = frozenset("\n\t\u200c\u200d")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ACTING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def without_lone_surrogates(text: str) -> str:
    """The same text as valid Unicode: surrogates, which are no characters, become U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def visible(text: str) -> str:
    """Control, ANSI, bidirectional and other format characters as escapes; not line feed or tab."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible_character, text.replace("\r\n", "\n")))


def one_line(text: str, max_characters: int) -> str:
    """`visible`, white space folded to blanks, cut with a mark to `max_characters` at most."""
    line = visible(" ".join(text.split()))
    if len(line) <= max_characters:
        return line
    return line[: max_characters - len(_CUT_MARK)].rstrip() + _CUT_MARK


def cut_to_bytes(text: str, max_bytes: int) -> str:
    """The longest beginning of at most `max_bytes` of UTF-8 that ends on a character boundary."""
    return text.encode()[:max_bytes].decode(errors="ignore")


def _visible_character(character: str) -> str:
    if character in _KEPT or unicodedata.category(character) not in _ACTING:
        return character
    return ascii(character)[1:-1]
