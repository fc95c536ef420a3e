"""What one Markdown document is made of: sections under their headings, cut to a bounded size.

Headings are what a CommonMark parser calls so at the top level: ATX and setext, never a line in a
code fence. Each keeps the line it stands on, so equal headings stay distinct. Text is the source as
written, less front matter and whatever of HTML a reader would not see (`html_text`).
"""

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools.knowledge.chunks import Block, chunked
from tools.knowledge.front_matter import front_matter_lines, title_of
from tools.knowledge.html_text import text_of_html, unshown_spans

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

MAX_SECTION_BYTES = 2_000
_MAX_HEADING_CHARS = 160
_MAX_INLINE_CHARS = 50_000
"""A longer paragraph is read as HTML: parsing it as Markdown could take quadratic time."""


@dataclass(frozen=True, slots=True)
class Section:
    """A citable unit of at most `MAX_SECTION_BYTES`. Lines count from 1."""

    heading: str
    ancestors: tuple[str, ...]
    """Outer headings, outermost first."""
    line: int
    part: int
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file. `title`: front matter's, else the first heading; None without either."""

    title: str | None
    sections: tuple[Section, ...]


@dataclass(slots=True)
class _Open:
    """A section while its blocks are gathered."""

    level: int
    heading: str
    ancestors: tuple[str, ...]
    blocks: list[Block]

    def is_bare(self) -> bool:
        """Whether it is a heading without text of its own."""
        return self.level > 0 and len(self.blocks) == 1


def parse_document(source: str) -> Document:
    """Sections in document order. A heading without text of its own is a section only as a leaf."""
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    dropped = front_matter_lines(lines)
    title = title_of(lines[:dropped]) if dropped else None
    lines[:dropped] = [""] * dropped
    tokens = _parser().parse("\n".join(lines))
    _drop_unshown(lines, tokens)
    opened = _gather(lines, tokens)
    headings = (section.heading for section in opened if section.heading)
    return Document(title or next(headings, None), tuple(_sections(opened)))


def _sections(opened: list[_Open]) -> Iterator[Section]:
    for number, section in enumerate(opened):
        following = opened[number + 1] if number + 1 < len(opened) else None
        if section.is_bare() and following is not None and following.level > section.level:
            continue
        chunks = chunked(section.blocks, max_bytes=MAX_SECTION_BYTES)
        if len(chunks) > 1 and section.level and chunks[0].text == section.blocks[0].text():
            del chunks[0]  # the heading alone: what follows it filled a chunk of its own
        for chunk in chunks:
            yield Section(section.heading, section.ancestors, chunk.line, chunk.part, chunk.text)


def _gather(lines: list[str], tokens: list["Token"]) -> list[_Open]:
    """The sections of a document with their blocks: the heading's own first, gaps included."""
    tops = [(at, token.map) for at, token in enumerate(tokens) if token.level == 0 and token.map]
    ends = [start for _, (start, _) in tops[1:]] + [len(lines)]
    opened, trail = [_Open(0, "", (), [])], list[_Open]()
    for (at, (start, _)), end in zip(tops, ends, strict=False):
        token = tokens[at]
        if token.type == "heading_open":
            level = int(token.tag[1:])
            trail = [outer for outer in trail if outer.level < level]
            heading = " ".join(tokens[at + 1].content.split())[:_MAX_HEADING_CHARS]
            opened.append(_Open(level, heading, tuple(outer.heading for outer in trail), []))
            trail.append(opened[-1])
        header_lines = 2 if token.type == "table_open" else 0
        opened[-1].blocks.append(Block(start + 1, tuple(lines[start:end]), header_lines))
    return opened if opened[0].blocks else opened[1:]


def _drop_unshown(lines: list[str], tokens: Iterable["Token"]) -> None:
    """Takes out of `lines` what a reader of the page would not see; line numbers stay."""
    for token in tokens:
        if token.map is None:
            continue
        start, end = token.map
        is_html = token.type == "html_block"
        if is_html or (token.type == "inline" and len(token.content) > _MAX_INLINE_CHARS):
            text = text_of_html("\n".join(lines[start:end])).split("\n")
            lines[start:end] = (text + [""] * (end - start))[: end - start]
        elif token.type == "inline" and "<" in token.content:
            for offset, piece in _unshown_pieces(token.content):
                lines[start + offset] = lines[start + offset].replace(piece, "")


def _unshown_pieces(content: str) -> list[tuple[int, str]]:
    """What to drop from a paragraph, as (line of the paragraph from 0, text on that line)."""
    environment: dict[str, list[tuple[int, int, str]]] = {"html": []}
    _parser().inline.parse(content, _parser(), environment, [])
    spans = unshown_spans(environment["html"], len(content))
    return [
        (offset, piece)
        for start, end in spans
        for offset, piece in enumerate(
            content[start:end].split("\n"), content.count("\n", 0, start)
        )
        if piece.strip()
    ]


@functools.cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import html_inline

    def html_with_span(state: "StateInline", silent: bool) -> bool:
        start = state.pos
        found = html_inline(state, silent)
        if found and not silent:
            state.env["html"].append((start, state.pos, state.src[start : state.pos]))
        return found

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.inline.ruler.at("html_inline", html_with_span)
    return parser
