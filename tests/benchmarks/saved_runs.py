"""The same gaining rounds of 1 KB, stored in SQLite by a plain loop and by ours."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from tests.benchmarks.contenders import LOOP, OURS, Contender, loop, ours
from tests.benchmarks.stored import Stored, stored_bytes
from tools import SqliteInvocationStore
from tools.invocations import InvocationStore


@dataclass(frozen=True, slots=True)
class Way:
    """A contender on a saver."""

    name: str
    make: Callable[[int, Any, InvocationStore], Contender]


MESSAGE_LIST = Way(LOOP, lambda rounds, saver, _: loop(rounds, saver))
"""The messages are one list, which is stored whole in every step."""
DIAGNOSIS = Way(OURS, ours)
WAYS = (MESSAGE_LIST, DIAGNOSIS)


async def store_runs(way: Way, rounds: int, path: Path, *, runs: int = 1) -> Stored:
    """The bytes of `runs` questions on one thread, in a new file."""
    store = SqliteInvocationStore(":memory:")
    async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
        contender = way.make(rounds, saver, store)
        for _ in range(runs):
            await contender.run("thread-1")
    await store.aclose()
    return stored_bytes(path)
