"""Memory over 2,000 runs in one process, beside both peers: flat after the first 200.

    python -m tests.benchmarks.soak [runs]

Ten runs at a time, each of 6 rounds on a thread of its own, sessions and records in SQLite. The
slope is a line through what the process holds after every hundred runs, the first 200 left out.
"""

import asyncio
import gc
import sys
import tempfile
from pathlib import Path
from statistics import linear_regression

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from tests.benchmarks.contenders import AGENT, LOOP, OURS, contenders
from tests.benchmarks.forked import Measured, in_child, memory_bytes
from tests.benchmarks.table import show
from tools import SqliteInvocationStore

ROUNDS, AT_ONCE, EVERY, WARM_UP = 6, 10, 100, 200


def main(runs: int) -> None:
    """One row a contender."""
    marks = range(0, runs + 1, EVERY)
    rows: list[list[object]] = []
    for name in (LOOP, AGENT, OURS):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            held = in_child(lambda: _held(place, name, runs))  # noqa: B023
        measured = [(mark, held[str(mark)]) for mark in marks if mark >= WARM_UP]
        slope, _ = linear_regression(*zip(*measured, strict=True))
        sizes = [held[str(mark)] / 1e6 for mark in (0, WARM_UP, runs // 2, runs)]
        rows.append([name, *sizes, slope])
    header = ("MB held after", "0", str(WARM_UP), str(runs // 2), str(runs), "bytes a run")
    show(f"{runs:,} runs of {ROUNDS} rounds", header, rows)


async def _held(folder: Path, name: str, runs: int) -> Measured:
    """What the process holds, in bytes, by the number of runs done."""
    store = SqliteInvocationStore(folder / "records.sqlite")
    held: Measured = {}
    async with AsyncSqliteSaver.from_conn_string(str(folder / "sessions.sqlite")) as saver:
        contender = next(one for one in contenders(ROUNDS, saver, store) if one.name == name)
        for done in range(0, runs + 1, AT_ONCE):
            if done % EVERY == 0:
                gc.collect()
                held[str(done)] = memory_bytes()
            if done < runs:
                await asyncio.gather(
                    *(contender.run(f"thread-{done + number}") for number in range(AT_ONCE))
                )
    await store.aclose()
    return held


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 2_000)
