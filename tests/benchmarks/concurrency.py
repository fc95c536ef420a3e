"""200 runs of 6 rounds at once in one process, beside both peers on the same saver.

    python -m tests.benchmarks.concurrency [repetitions] [runs]

Sessions lie in SQLite; the canonical records, which the peers do not have, in SQLite and again in
Redis where a server is installed. All runs start together, so that the last ones show what waiting
costs; memory is what a contender's own process took at most above what it began with.
"""

import asyncio
import gc
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from statistics import median

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from tests.benchmarks.contenders import AGENT, LOOP, OURS, Contender, contenders
from tests.benchmarks.forked import Measured, in_child, memory_bytes
from tests.benchmarks.table import show
from tests.stores.redis_server import running_server
from tools import RedisInvocationStore, SqliteInvocationStore

ROUNDS = 6
COLUMNS = ("runs a second", "CPU ms a run", "p50 s", "p99 s", "peak MB")
Setting = tuple[str, str | None]


def main(repetitions: int, runs: int) -> None:
    """One row a contender: medians over the repetitions, taken in turns."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        settings: list[Setting] = [(LOOP, None), (AGENT, None), (OURS, None)]
        try:
            server = stack.enter_context(running_server(Path(name) / "redis"))
            settings.append((OURS, server.url))
        except pytest.skip.Exception as missing:
            sys.stdout.write(f"{missing}\n")
        measured: dict[Setting, list[Measured]] = {setting: [] for setting in settings}
        for repetition in range(repetitions):
            turn = repetition % len(settings)
            for setting in (*settings[turn:], *settings[:turn]):
                with tempfile.TemporaryDirectory() as folder:
                    place = Path(folder)
                    measured[setting].append(
                        in_child(lambda: _together(place, setting, runs))  # noqa: B023
                    )
    rows = [
        [_title(setting), *(median(one[column] for one in measured[setting]) for column in COLUMNS)]
        for setting in settings
    ]
    show(f"{runs} concurrent runs of {ROUNDS} rounds", ("", *COLUMNS), rows)


async def _together(folder: Path, setting: Setting, runs: int) -> Measured:
    async with _contender(folder, setting) as contender:
        await contender.run("warm-up")
        gc.collect()
        before = memory_bytes()
        cpu, started = time.process_time(), time.perf_counter()
        seconds = await asyncio.gather(
            *(_timed(contender, f"thread-{number}") for number in range(runs))
        )
        wall, spent = time.perf_counter() - started, time.process_time() - cpu
    ordered = sorted(seconds)
    values = (
        runs / wall,
        1e3 * spent / runs,
        median(ordered),
        ordered[-1 - len(ordered) // 100],
        (memory_bytes("VmHWM") - before) / 1e6,
    )
    return dict(zip(COLUMNS, values, strict=True))


async def _timed(contender: Contender, thread: str) -> float:
    started = time.perf_counter()
    if await contender.run(thread) != ROUNDS:
        raise SystemExit(f"{contender.name} did not make {ROUNDS} rounds")
    return time.perf_counter() - started


@asynccontextmanager
async def _contender(folder: Path, setting: Setting) -> AsyncIterator[Contender]:
    name, redis_url = setting
    records = folder / "records.sqlite"
    store = RedisInvocationStore(redis_url) if redis_url else SqliteInvocationStore(records)
    async with AsyncSqliteSaver.from_conn_string(str(folder / "sessions.sqlite")) as saver:
        yield next(one for one in contenders(ROUNDS, saver, store) if one.name == name)
    await store.aclose()


def _title(setting: Setting) -> str:
    name, redis_url = setting
    if name != OURS:
        return name
    return f"{name}, records in {'Redis' if redis_url else 'SQLite'}"


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    main(*given, *(3, 200)[len(given) :])
