"""Rows as evidence: one JSON object a row, every value exact, the whole bounded.

NULL is null; numbers are exact (a decimal is a text of its digits); a binary value is shown as its
size; times are ISO 8601 as stored, no zone added. A text over the limit is cut and says so.
"""

import datetime
import decimal
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Json = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class RowBounds:
    max_rows: int
    max_bytes: int
    """UTF-8, all rows together."""
    max_cell_chars: int


@dataclass(frozen=True, slots=True)
class Rows:
    texts: list[str]
    truncated: bool
    """Whether a row or a part of a text was left out."""


def read_rows(columns: Sequence[str], rows: Iterable[Sequence[Any]], bounds: RowBounds) -> Rows:
    """Takes rows until a bound is reached; reads at most one row more than it keeps."""
    names = _distinct(columns)
    texts: list[str] = []
    left = bounds.max_bytes
    cut = False
    for row in rows:
        if len(texts) == bounds.max_rows:
            return Rows(texts, truncated=True)
        values = [_value(cell) for cell in row]
        cells = [_bounded(value, bounds.max_cell_chars) for value in values]
        cut = cut or cells != values
        text = json.dumps(dict(zip(names, cells, strict=True)), ensure_ascii=False)
        size = len(text.encode())
        if size > left:
            kept = [] if texts else [text.encode()[:left].decode(errors="ignore")]
            return Rows(texts + kept, truncated=True)
        texts.append(text)
        left -= size
    return Rows(texts, truncated=cut)


def _distinct(columns: Sequence[str]) -> list[str]:
    """A join may bring one name twice; in an object each needs its own: `id`, `id_2`."""
    names: list[str] = []
    for column in columns:
        name, number = column, 1
        while name in names or (number > 1 and name in columns):
            number += 1
            name = f"{column}_{number}"
        names.append(name)
    return names


def _bounded(value: Json, max_chars: int) -> Json:
    if isinstance(value, str) and len(value) > max_chars:
        return f"{value[:max_chars]}… [{max_chars} of {len(value)} characters]"
    return value


def _value(cell: Any) -> Json:
    match cell:
        case None | bool() | int() | str():
            return cell
        case float():
            return cell if math.isfinite(cell) else str(cell)
        case decimal.Decimal():
            return format(cell, "f") if cell.is_finite() else str(cell)
        case bytes() | bytearray() | memoryview():
            return f"[binary, {len(bytes(cell))} bytes]"
        case datetime.datetime():
            return cell.isoformat(sep=" ")
        case datetime.date() | datetime.time():
            return cell.isoformat()
        case datetime.timedelta():
            return _clock(cell)
        case Mapping() | list() | tuple():
            return json.dumps(cell, ensure_ascii=False, default=str)
        case _:
            return str(cell)


def _clock(span: datetime.timedelta) -> str:
    """A TIME value: hours may pass a day and be negative, as in `-838:59:59`."""
    seconds, micros = divmod(abs(span) // datetime.timedelta(microseconds=1), 1_000_000)
    sign = "-" if span < datetime.timedelta() else ""
    fraction = f".{micros:06d}" if micros else ""
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{fraction}"
