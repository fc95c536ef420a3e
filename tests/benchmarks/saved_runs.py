"""The same gaining rounds of 1 KB, stored in SQLite in three ways."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from graph.stores.sqlite_saver import SqliteSessionSaver
from tests.benchmarks.contenders import LOOP, OURS, Contender, loop, ours
from tests.benchmarks.stored import Stored, stored_bytes
from tools import SqliteInvocationStore
from tools.invocations import InvocationStore


@dataclass(frozen=True, slots=True)
class Way:
    """A contender on a saver."""

    name: str
    make: Callable[[int, Any, InvocationStore], Contender]
    saver: type[AsyncSqliteSaver]


MESSAGE_LIST = Way(
    f"{LOOP}, LangGraph's saver", lambda rounds, saver, _: loop(rounds, saver), AsyncSqliteSaver
)
"""The messages are one list, which is stored whole in every step."""
PLAIN_SAVER = Way(f"{OURS}, LangGraph's saver", ours, AsyncSqliteSaver)
OWN_SESSIONS = Way(f"{OURS}, own sessions", ours, SqliteSessionSaver)
WAYS = (MESSAGE_LIST, PLAIN_SAVER, OWN_SESSIONS)


async def store_runs(way: Way, rounds: int, path: Path, *, runs: int = 1) -> Stored:
    """The bytes of `runs` questions on one thread, in a new file."""
    store = SqliteInvocationStore(":memory:")
    async with way.saver.from_conn_string(str(path)) as saver:
        contender = way.make(rounds, saver, store)
        for _ in range(runs):
            await contender.run("thread-1")
    await store.aclose()
    return stored_bytes(path)
