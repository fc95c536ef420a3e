"""Prints what was measured: plain columns, numbers to the right."""

import sys
from collections.abc import Sequence


def show(title: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """One table on standard output; floats with two decimals."""
    cells = [list(header), *([_cell(value) for value in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    lines = [
        "  ".join(
            text.ljust(width) if column == 0 else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]
    sys.stdout.write("\n".join(["", title, lines[0], "-" * len(lines[0]), *lines[1:], ""]))
    sys.stdout.flush()


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
