"""Private keys in PEM: whole, cut off at either end, in one line, escaped, or a line an event."""

import re
from collections.abc import Iterator

from tools.masking.marks import Kind, Mark

_BREAK = r"(?:\s|\\{1,4}[nr]|%0[AaDd]|%20)"
_LABEL = r"[A-Z0-9 +%]{0,40}PRIVATE(?:[ +]|%20)KEY[A-Z0-9 +%]{0,24}"
_BEGIN = re.compile(rf"-{{4,5}} ?BEGIN{_LABEL}-{{4,5}}")
_END = re.compile(rf"-{{4,5}} ?END{_LABEL}-{{4,5}}")
_WORD = r"(?:[A-Za-z0-9+/=]|%2[BbFf]|%3[Dd])"
# what a cut key goes on with: words too long for prose, the headers of old formats, a short rest
_BODY = re.compile(
    rf"(?:{_BREAK}*+(?:{_WORD}{{16,}}+|(?:Proc-Type|DEK-Info|Version|Comment): ?[^\s\\]++))*+"
    rf"(?:{_BREAK}*+{_WORD}{{1,15}}+(?={_BREAK}*+(?:…|-{{4,5}}|\Z)))?"
)
_LINE_END = re.compile(r"\r?\n|\\{1,4}n|\\{1,4}r")
_KEY_LINE = re.compile(r"[A-Za-z0-9+/=]{16,}\Z")
_LAST_LINE = re.compile(r"[A-Za-z0-9+/=]{1,76}\Z")
_EVENT_WORD = re.compile(r"(?<![^\s:|\"'])[A-Za-z0-9+/]{16,}={0,2}(?=[\"'\s]*$)", re.MULTILINE)
# a line of a key on its own: PEM has lines of 64, OpenSSH of 70
_FULL_LINE = re.compile(
    r"(?<![A-Za-z0-9+/=_.-])[A-Za-z0-9+/]{64}(?:[A-Za-z0-9+/]{6})?(?![\w+/=.-])"
)


def mask_private_keys(text: str, mark: Mark) -> str:
    """Every key block masked whole; without an end or a beginning, what must belong to it."""
    if "PRIVATE" in text:
        text = _mask_blocks(text, mark)
    return _FULL_LINE.sub(lambda match: _full_line(match[0], mark), text)


def mask_spread_keys(texts: list[str], mark: Mark) -> list[str]:
    """The same texts, the lines of a key that begins in one and ends in a later one masked."""
    inside = False
    masked = []
    for text in texts:
        begin, end = _last(_BEGIN, text), _last(_END, text)
        if inside:
            text = _EVENT_WORD.sub(lambda match: mark(Kind.PRIVATE_KEY, match[0]), text)
        inside = begin > end or (inside and end < 0)
        masked.append(text)
    return masked


def _mask_blocks(text: str, mark: Mark) -> str:
    parts: list[str] = []
    at = 0
    for start, stop in _spans(text):
        start = max(start, at)
        parts += [text[at:start], mark(Kind.PRIVATE_KEY, _LINE_END.sub("\n", text[start:stop]))]
        at = stop
    return "".join([*parts, text[at:]])


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where keys stand. Beginnings and ends are paired in one walk, so the time is linear."""
    begins = [*_BEGIN.finditer(text)]
    open_at: re.Match[str] | None = None
    ends = iter([*_END.finditer(text)])
    end = next(ends, None)
    closed = 0
    for begin, following in zip([None, *begins], [*begins, None], strict=True):
        open_at = begin
        limit = following.start() if following else len(text)
        while end is not None and end.start() < limit:
            start = open_at.start() if open_at else _body_start(text, closed, end.start())
            yield start, end.end()
            closed, open_at = end.end(), None
            end = next(ends, None)
        if open_at is not None:
            body = _BODY.match(text, open_at.end(), limit)
            closed = body.end() if body else open_at.end()
            yield open_at.start(), closed


def _body_start(text: str, floor: int, end: int) -> int:
    """Where the key lines begin that lead up to `end`; the last of them may be short."""
    start = stop = end
    pattern = _LAST_LINE
    for match in reversed([*_LINE_END.finditer(text, floor, end)]):
        line = text[match.end() : stop].strip()
        if line and not pattern.match(line):
            return start
        pattern = _KEY_LINE if line else pattern
        start, stop = match.end(), match.start()
    first = re.search(r"[A-Za-z0-9+/=]*\Z", text[max(floor, stop - 4_096) : stop])
    long_enough = first is not None and len(first[0]) >= 16
    return stop - len(first[0]) if first and long_enough else start


def _full_line(word: str, mark: Mark) -> str:
    """Hexadecimal hashes have the same length, but one case of letters only."""
    classes = (str.isupper, str.islower, str.isdigit)
    mixed = all(any(map(of_class, word)) for of_class in classes)
    return mark(Kind.PRIVATE_KEY, word) if mixed and not _is_hex(word) else word


def _is_hex(word: str) -> bool:
    return all(letter in "0123456789abcdefABCDEF" for letter in word)


def _last(pattern: re.Pattern[str], text: str) -> int:
    """Where the last match begins, or -1."""
    if "PRIVATE" not in text:
        return -1
    return max((match.start() for match in pattern.finditer(text)), default=-1)
