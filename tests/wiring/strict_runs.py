"""A program under `LANGGRAPH_STRICT_MSGPACK=true`: runs, cuts off, resumes, and asks again.

Prints one JSON object: what came back of each step, and every line that was logged.
"""

import asyncio
import json
import logging
import sys
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from graph import Models, build_graph
from tests.fakes.loose_model import LooseModel
from tests.fakes.replies import PROVED, asks, call, judged, routed
from tests.fakes.sources import KeywordSource
from tools.invocations.sqlite import SqliteInvocationStore

LOGGED: list[str] = []
THREAD: Any = {"configurable": {"thread_id": "thread-1"}}


class Listener(logging.Handler):
    """Keeps what any logger says from warning level on."""

    def emit(self, record: logging.LogRecord) -> None:
        """One line."""
        LOGGED.append(record.getMessage())


def reply(request: list[Any]) -> Any:
    """Two queries, the second one empty, then a proved draft; from the request alone."""
    queries = [asks(call("c1", "pool")), asks(call("c2", "empty", "c1")), PROVED]
    return queries[sum(message.type == "tool" for message in request)]


async def step(folder: Path, given: Any, **options: Any) -> dict[str, Any]:
    """One invocation on files that a fresh saver opens; the state as that saver reads it back."""
    store = SqliteInvocationStore(folder / "records.sqlite")
    async with AsyncSqliteSaver.from_conn_string(str(folder / "sessions.sqlite")) as saver:
        compiled = build_graph(
            models=Models(
                agent=LooseModel(moves=[], last=reply),
                router=LooseModel(moves=[], last=routed()),
                semantic_guard=LooseModel(moves=[], last=judged()),
            ),
            tools=[KeywordSource()],
            invocations=store,
            checkpointer=saver,
        )
        await compiled.ainvoke(given, THREAD, durability="sync", **options)
        history = [snapshot.values async for snapshot in compiled.aget_state_history(THREAD)]
    await store.aclose()
    state = history[0]
    return {**state, "messages": [message.text for message in state["messages"]]}


async def main(folder: Path) -> None:
    """The steps in order."""
    logging.getLogger().addHandler(Listener(logging.WARNING))
    question = {"messages": [("user", "why did it fail?")]}
    steps = {
        "first": await step(folder, question),
        "cut off": await step(folder, question, interrupt_before=["envelope_gate"]),
        "cut off again": await step(folder, None, interrupt_after=["tool"]),
        "resumed": await step(folder, None),
        "cut off once more": await step(folder, question, interrupt_before=["tool"]),
        "asked again": await step(folder, question),
    }
    sys.stdout.write(json.dumps({"steps": steps, "logged": LOGGED}))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
