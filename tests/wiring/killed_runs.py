"""A program that kills a run by SIGKILL at every point and resumes it in a fresh process.

It loads everything once and forks: one child runs and kills itself, the next one resumes from the
files that are left. Prints one JSON object a kill point: the final state and what was executed.
"""

import asyncio
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import graph.build
import tools.boundary
from graph import Models, Settings, build_graph
from tests.fakes.loose_model import LooseModel
from tests.fakes.replies import asks, call, draft, judged, routed
from tests.fakes.sources import Anything, found
from tools import EvidenceTool, ToolResult
from tools.sqlite_invocations import SqliteInvocationStore

CONFIG: Any = {"configurable": {"thread_id": "thread-1"}}
QUESTION = {"messages": [("user", "Why did switching the company fail?")]}
PROOF = draft("the pool is exhausted", ("c0", "e1", "pool exhausted after"))
_ROUND = ["model", "envelope_gate", "tool"]
PATH = ["begin", "route", *_ROUND, *_ROUND, *_ROUND, "stop_required", "model", "release"]
"""Every node; the third query is the second empty one and saturates the run."""
VISITS = [(node, PATH[:position].count(node) + 1) for position, node in enumerate(PATH)]
POINTS = (
    [f"{moment} {node} {visit}" for node, visit in VISITS for moment in ("enter", "leave")]
    + [f"search {visit}" for visit in (1, 2, 3)]
    + [f"found {visit}" for visit in (1, 2, 3)]
    + ["nowhere"]
)
LEASE_MARGIN_SECONDS = 0.05


class Killer:
    """Kills this process the first time it comes to its point."""

    def __init__(self, point: str) -> None:
        self._point = point
        self._visits: dict[str, int] = {}

    def at(self, moment: str) -> None:
        """One more visit of `moment`."""
        self._visits[moment] = self._visits.get(moment, 0) + 1
        if f"{moment} {self._visits[moment]}" == self._point:
            os.kill(os.getpid(), signal.SIGKILL)

    def watches(self, name: str, make: Callable[..., Any]) -> Callable[..., Any]:
        """The node factory with a point before and after the node's body."""

        def watched(parts: Any) -> Any:
            body = make(parts)

            async def node(state: Any, journal: Any) -> Any:
                self.at(f"enter {name}")
                update = await body(state, journal)
                self.at(f"leave {name}")
                return update

            return node

        return watched


class CountedLogs(EvidenceTool[Anything]):
    """Writes every execution down in a file of its own."""

    name, description, Input = "query_logs", "Lines by keyword.", Anything

    def __init__(self, file: Path, killer: Killer) -> None:
        self._file, self._killer = file, killer

    async def search(self, request: Anything) -> ToolResult:
        """A line for `pool`, nothing for anything else."""
        self._killer.at("search")
        with self._file.open("a") as file:
            file.write(f"{request.keyword}\n")
        self._killer.at("found")
        return (
            found("ERROR pool exhausted after 50 waits") if request.keyword == "pool" else found()
        )


def reply(request: list[Any]) -> Any:
    """The agent's reply, from the request alone: another process goes on just the same."""
    queries = [
        asks(call("c0", "pool")),
        asks(call("c1", "first", "c0")),
        asks(call("c2", "second")),
        PROOF,
    ]
    return queries[sum(message.type == "tool" for message in request)]


async def diagnose(folder: Path, point: str, given: Any, **configurable: Any) -> None:
    """One run or its resumption; the final state and the checkpoints' counters go to a file."""
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    killer = Killer(point)
    for node in set(PATH):
        made = getattr(graph.build, f"{node}_node")
        setattr(graph.build, f"{node}_node", killer.watches(node, made))
    tools.boundary.LEASE_MARGIN_SECONDS = LEASE_MARGIN_SECONDS
    store = SqliteInvocationStore(folder / "records.sqlite")
    async with AsyncSqliteSaver.from_conn_string(str(folder / "sessions.sqlite")) as saver:
        compiled = build_graph(
            models=Models(
                agent=LooseModel(moves=[], last=reply),
                router=LooseModel(moves=[], last=routed()),
                semantic_guard=LooseModel(moves=[], last=judged()),
            ),
            tools=[CountedLogs(folder / "executions", killer)],
            invocations=store,
            settings=Settings(harness={"budget": {"tool_timeout_seconds": 0.2}}),
            checkpointer=saver,
        )
        config = {"configurable": {**CONFIG["configurable"], **configurable}}
        await compiled.ainvoke(given, config, durability="sync")
        snapshot = await compiled.aget_state(CONFIG)
        state = {**snapshot.values, "messages": [m.text for m in snapshot.values["messages"]]}
        executions = (folder / "executions").read_text().split()
        result = {"point": point, "state": state, "executions": executions}
        (folder / "result.json").write_text(json.dumps(result))
    await store.aclose()


def in_child(work: Callable[[], Any]) -> int:
    """Runs `work` in a forked process; minus the signal, or the exit code."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            asyncio.run(work())
            code = 0
        except Exception:  # noqa: BLE001 - told by the exit code
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(base: Path) -> None:
    """Every point in a folder of its own; one line of JSON each."""
    for number, point in enumerate(POINTS):
        folder = base / str(number)
        folder.mkdir()
        killed = in_child(lambda: diagnose(folder, point, QUESTION, run_id="run-1"))  # noqa: B023
        if point != "nowhere":
            if killed != -signal.SIGKILL:
                raise SystemExit(f"{point}: not killed but {killed}")
            if in_child(lambda: diagnose(folder, "", None)):  # noqa: B023
                raise SystemExit(f"{point}: not resumed")
        sys.stdout.write((folder / "result.json").read_text() + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
