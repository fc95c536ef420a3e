"""What the checkpoints of gaining rounds cost, beside a plain message list.

    python -m tests.benchmarks.checkpoint_bytes [rounds]

Rows are counted without keys and indexes; the file is what the disk gives for all of it.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.saved_runs import DIAGNOSIS, WAYS, Way, store_runs
from tests.benchmarks.stored import (
    checkpoint_parts,
    plain_channel_bytes,
    stored_bytes,
    version_bytes,
    written_by_channel,
)
from tests.benchmarks.table import show

RUNS = 10
ROUNDS_OF_A_SHORT_RUN = 4


async def main(rounds: int) -> None:
    """Growth, writes by channel, checkpoints by part, and a session of short runs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        await _growth(folder, (rounds // 4, rounds // 2, rounds))
        file = _file(folder, DIAGNOSIS, rounds)
        _writes(file)
        _parts(file)
        plain = plain_channel_bytes(file)
        sys.stdout.write(f"\nplain channels: {plain / rounds:.2f} bytes a completed call\n")
        await _session(folder)


async def _growth(folder: Path, steps: tuple[int, ...]) -> None:
    rows: list[list[object]] = []
    for way in WAYS:
        for rounds in steps:
            stored = await store_runs(way, rounds, _file(folder, way, rounds))
            parts = (stored.checkpoints + stored.metadata, stored.writes, stored.rows, stored.file)
            rows.append([way.name, rounds, *(size / 1e6 for size in parts), stored.rows // rounds])
    header = ("MB", "rounds", "checkpoints", "writes", "together", "file", "bytes a round")
    show("Gaining rounds of 1 KB", header, rows)


def _writes(path: Path) -> None:
    rows = [row for row in written_by_channel(path) if row[2]]
    show("Writes by channel", ("channel", "rows", "bytes"), rows)


def _parts(path: Path) -> None:
    parts = checkpoint_parts(path)
    rows: list[list[object]] = [[part, parts[part]] for part in parts]
    rows.append(["metadata", stored_bytes(path).metadata])
    rows.append(["of these: channel versions", version_bytes(path)])
    show("Checkpoints by part", ("part", "bytes"), rows)


async def _session(folder: Path) -> None:
    rows: list[list[object]] = []
    for way in WAYS:
        first, before, last = [
            await store_runs(
                way, ROUNDS_OF_A_SHORT_RUN, folder / f"{way.name} {runs} runs", runs=runs
            )
            for runs in (1, RUNS - 1, RUNS)
        ]
        rows.append([way.name, first.rows, last.rows - before.rows])
    header = ("bytes", "first run", f"run {RUNS}")
    show(f"A session of runs of {ROUNDS_OF_A_SHORT_RUN} rounds", header, rows)


def _file(folder: Path, way: Way, rounds: int) -> Path:
    return folder / f"{way.name} {rounds}"


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if sys.argv[1:] else 200))
