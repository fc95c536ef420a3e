"""CPU and wall time a round, beside a hand-written loop and `create_agent` with call limits.

    python -m tests.benchmarks.overhead [repetitions]

The contenders take turns, so that a busy machine slows all of them; the ratios are medians over
the repetitions. CPU counts every thread of the process, the savers' included. The loop with a third
node that does nothing is the least that any gate between model and tool could cost.
"""

import asyncio
import gc
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from tests.benchmarks.contenders import (
    AGENT,
    LOOP,
    OURS,
    THREE_NODES,
    Contender,
    contenders,
    three_nodes,
)
from tests.benchmarks.table import show
from tools import MemoryInvocationStore, SqliteInvocationStore
from tools.invocations import KeptStore

ROUNDS = (25, 50)
ROWS = (LOOP, THREE_NODES, AGENT, OURS)
HEADER = ("ms a round", "CPU", "wall", "CPU / loop", "CPU / create_agent", "wall / create_agent")


async def main(repetitions: int) -> None:
    """All four tables."""
    for rounds in ROUNDS:
        for saved in (False, True):
            async with _set_up(rounds, saved) as entered:
                times = await _measured(entered, rounds, repetitions)
            title = f"{rounds} rounds, {'SQLite saver' if saved else 'no saver'}"
            show(title, HEADER, [_row(name, times) for name in ROWS])


@asynccontextmanager
async def _set_up(rounds: int, saved: bool) -> AsyncIterator[list[Contender]]:
    with tempfile.TemporaryDirectory() as folder:
        store: KeptStore = MemoryInvocationStore()
        if saved:
            store = SqliteInvocationStore(Path(folder) / "records.sqlite")
            path = str(Path(folder) / "sessions.sqlite")
            async with AsyncSqliteSaver.from_conn_string(path) as saver:
                yield [three_nodes(rounds, saver), *contenders(rounds, saver, store)]
        else:
            yield [three_nodes(rounds), *contenders(rounds, None, store)]
        await store.aclose()


async def _measured(
    entered: Sequence[Contender], rounds: int, repetitions: int
) -> dict[str, list[tuple[float, float]]]:
    """CPU and wall milliseconds a round, one pair a repetition; the first is a warm-up."""
    times: dict[str, list[tuple[float, float]]] = {one.name: [] for one in entered}
    for repetition in range(repetitions + 1):
        turn = repetition % len(entered)
        for one in (*entered[turn:], *entered[:turn]):
            gc.collect()
            cpu, wall = time.process_time(), time.perf_counter()
            made = await one.run(f"{one.name}-{repetition}")
            spent = (time.process_time() - cpu, time.perf_counter() - wall)
            if made != rounds:
                raise SystemExit(f"{one.name} made {made} rounds instead of {rounds}")
            if repetition:
                times[one.name].append((1e3 * spent[0] / rounds, 1e3 * spent[1] / rounds))
    return times


def _row(name: str, times: dict[str, list[tuple[float, float]]]) -> list[object]:
    cpu, wall = (median(pair[kind] for pair in times[name]) for kind in (0, 1))
    ratios = [_ratio(times, name, LOOP, 0), _ratio(times, name, AGENT, 0)]
    return [name, cpu, wall, *ratios, _ratio(times, name, AGENT, 1)]


def _ratio(times: dict[str, list[tuple[float, float]]], name: str, other: str, kind: int) -> float:
    pairs = zip(times[name], times[other], strict=True)
    return median(own[kind] / theirs[kind] for own, theirs in pairs)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if sys.argv[1:] else 7))
