"""Markdown as a reader's renderer sees it, and texts that try to be more than text."""

from markdown_it import MarkdownIt

NASTY = [
    "![x](http://evil.example/a.png)",
    "[click](javascript:alert)",
    "<img src=x onerror=alert(1)>",
    "<http://evil.example>",
    "http://evil.example/x",
    "`![x](y)`",
    "\\![x](y)",
    "\\\\[x](y)",
    "``` \n![x](y)\n```",
    "~~~\n<b>",
    "# heading\n## heading",
    "text\n===\ntext\n---",
    "> quote\n- - -\n+ item",
    "[x]: http://evil.example\n[x]",
    "a | b\n--- | ---\n[c](d) | <e>",
    "&lt;b&gt; &#60;script&#62;",
    "\x1b[31m\u202e\x00\r\x9b",
    "`" * 7 + "\n<b>",
    "1. a\n    ![x](y)",
    "- # heading\n- - > quote\n1. ## heading\n- ---",
    "- \n2) + # heading",
    "*a* **b** _c_ __d__ ~~e~~",
]

ACTIVE = {"image", "link_open", "html_inline", "html_block", "em_open", "strong_open", "s_open"}


def tokens(markdown):
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return [leaf for token in parser.parse(markdown) for leaf in (token, *(token.children or []))]


def active(markdown):
    return {token.type for token in tokens(markdown)} & ACTIVE
