"""Which part of HTML inside Markdown is text: not comments, scripts, styles, declarations or tags.

Patterns, not a parser: nothing here is rendered or trusted, and every pattern takes linear time on
any input, which the standard library's parser does not.
"""

import html
import re

_UNSHOWN_NAMES = ("script", "style", "template", "noscript", "iframe", "object")
_UNSHOWN = re.compile(
    rf"<!--.*?(?:-->|\Z)|<({'|'.join(_UNSHOWN_NAMES)})\b.*?(?:</\1\s*>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_TAG = re.compile(r"<[/!?A-Za-z][^<>]*>")
_TAG_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)")


def text_of_html(source: str) -> str:
    """The text of an HTML block, character references resolved, blanks folded, lines kept.

    A comment or script that is never closed reaches to the end.
    """
    shown = _TAG.sub(_blanked, _UNSHOWN.sub(_blanked, source))
    return "\n".join(" ".join(html.unescape(line).split()) for line in shown.split("\n"))


def unshown_spans(tags: list[tuple[int, int, str]], end: int) -> list[tuple[int, int]]:
    """Spans to drop from a paragraph, given its inline HTML as (start, end, raw tag) in order.

    Comments and declarations go alone, a script or style with its content (to the paragraph's
    `end` when it is never closed). Other tags stay: `<pod-name>` is a placeholder, not markup.
    """
    spans: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for start, stop, raw in tags:
        name = _tag_name(raw)
        if opened is not None:
            if raw.startswith("</") and name == opened[1]:
                spans.append((opened[0], stop))
                opened = None
        elif raw.startswith(("<!", "<?")):
            spans.append((start, stop))
        elif name in _UNSHOWN_NAMES and not raw.startswith("</"):
            opened = (start, name)
    if opened is not None:
        spans.append((opened[0], end))
    return spans


def _blanked(match: re.Match[str]) -> str:
    return "\n" * match.group().count("\n") or " "


def _tag_name(raw: str) -> str:
    found = _TAG_NAME.match(raw)
    return found.group(1).lower() if found else ""
