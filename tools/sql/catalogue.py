"""The tables of a database and their columns, as far as a description has room for them.

The richest form in which every table fits is taken: with types and comments, with types, bare. A
comment is a text of the database like any row: quoted, on one line, short.
"""

import json
import unicodedata
from collections.abc import Callable, Sequence

from tools.sql.database import MAX_COMMENT_CHARS, MAX_TABLES_READ, Table

Quote = Callable[[str], str]
_TEXTS = ("varchar", "char", "text", "nvarchar", "nchar", "mediumtext", "longtext", "tinytext")


def table_listing(tables: Sequence[Table], quote: Quote, max_chars: int) -> str:
    """`orders(order_id bigint "our own number", note), …`; where that is too long, without
    comments, then without types, then the last tables as bare names, then a count."""
    if not tables:
        return "no tables"
    for types, comments in ((True, True), (True, False)):
        entries = [_entry(table, quote, types, comments) for table in tables]
        if len(tables) <= MAX_TABLES_READ and _length(entries) <= max_chars:
            return ", ".join(entries)
    entries = [_entry(table, quote, False, False) for table in tables[:MAX_TABLES_READ]]
    shown = _fitting(entries, max_chars)
    return ", ".join(entries[:shown]) + _rest([table.name for table in tables[shown:]], max_chars)


def _entry(table: Table, quote: Quote, types: bool, comments: bool) -> str:
    columns = (
        quote(column.name)
        + (_typed(column.type) if types else "")
        + (_said(column.comment) if comments else "")
        for column in table.columns
    )
    return f"{table.name}({', '.join(columns)})" + (_said(table.comment) if comments else "")


def _typed(declared: str) -> str:
    """` bigint` of `BIGINT(20)`, nothing of a text: lengths tell a reader nothing, and a column is
    a text unless it says otherwise. The values of an enum stay."""
    word, _, rest = _one_line(declared).partition("(")
    if "'" in rest:
        return f" {word}({rest}"
    name = (word + rest.partition(")")[2]).strip().lower()
    return f" {name}" if name and not name.startswith(_TEXTS) else ""


def _said(comment: str) -> str:
    return f" {json.dumps(_one_line(comment), ensure_ascii=False)}" if comment.strip() else ""


def _one_line(text: str) -> str:
    """Without line breaks and other control or direction characters, and not without end."""
    plain = "".join(" " if unicodedata.category(char)[0] == "C" else char for char in text)
    line = " ".join(plain.split())
    return line if len(line) <= MAX_COMMENT_CHARS else line[:MAX_COMMENT_CHARS] + "…"


def _length(entries: Sequence[str]) -> int:
    return sum(map(len, entries)) + 2 * len(entries)


def _fitting(entries: Sequence[str], max_chars: int) -> int:
    """How many of the first entries fit."""
    used = 0
    for position, entry in enumerate(entries):
        used += len(entry) + 2
        if used > max_chars:
            return position
    return len(entries)


def _rest(names: list[str], max_chars: int) -> str:
    shown = names[: _fitting(names, max_chars // 4)]
    left = len(names) - len(shown)
    more = [f"{left} more tables"] if left else []
    return "; also " + ", ".join([*shown, *more]) if names else ""
