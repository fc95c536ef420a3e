"""A program that kills a run by SIGKILL at every point and has another process go on with it.

It loads everything once and forks two workers: one runs and kills itself, the other has its stores
open by then and goes on with what is left in them. The stores are those that the environment names,
or files. Prints one JSON object a kill point: the final state and what was executed.
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
from graph.stores.records import make_store
from graph.stores.sessions import open_sessions
from tests.fakes.loose_model import LooseModel
from tests.fakes.replies import asks, call, draft, judged, routed
from tests.fakes.sources import Anything, found
from tools import EvidenceTool, ToolResult

ASK, RESUME = b"a", b"r"
UNDISTURBED = "nowhere"
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
    + [UNDISTURBED]
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


async def work(folder: Path, point: str, turn: int) -> None:
    """One worker: asks once it is its turn, or goes on with what was asked; tells how it ended."""
    killer = Killer(point)
    for node in set(PATH):
        made = getattr(graph.build, f"{node}_node")
        setattr(graph.build, f"{node}_node", killer.watches(node, made))
    tools.boundary.LEASE_MARGIN_SECONDS = LEASE_MARGIN_SECONDS
    settings = Settings(data_dir=folder, harness={"budget": {"tool_timeout_seconds": 0.2}})
    store = make_store(settings)
    async with open_sessions(settings) as sessions:
        compiled = build_graph(
            models=Models(
                agent=LooseModel(moves=[], last=reply),
                router=LooseModel(moves=[], last=routed()),
                semantic_guard=LooseModel(moves=[], last=judged()),
            ),
            tools=[CountedLogs(folder / "executions", killer)],
            invocations=store,
            settings=settings,
            checkpointer=sessions.saver,
        )
        thread: Any = {"thread_id": f"thread-{folder.name}"}
        given = QUESTION if os.read(turn, 1) == ASK else None
        if given is not None:
            thread["run_id"] = f"run-{folder.name}"
        await compiled.ainvoke(given, {"configurable": thread}, durability="sync")
        snapshot = await compiled.aget_state({"configurable": thread})
        state = {**snapshot.values, "messages": [m.text for m in snapshot.values["messages"]]}
        executions = (folder / "executions").read_text().split()
        result = {"point": point, "state": state, "executions": executions}
        (folder / "result.json").write_text(json.dumps(result))
    await store.aclose()


def forked(folder: Path, point: str, turn: int) -> int:
    """The process id of a worker of its own."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            asyncio.run(work(folder, point, turn))
            code = 0
        except Exception:  # noqa: BLE001 - told by the exit code
            traceback.print_exc()
        finally:
            os._exit(code)
    return child


def ended(worker: int) -> int:
    """Minus the signal, or the exit code."""
    return os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])


def play(folder: Path, point: str) -> None:
    """A run that is killed at the point and gone on with, or left alone."""
    (first_turn, first_start), (second_turn, second_start) = os.pipe(), os.pipe()
    first = forked(folder, point, first_turn)
    second = forked(folder, "", second_turn)
    os.write(first_start, ASK)
    killed = ended(first)
    if killed != (0 if point == UNDISTURBED else -signal.SIGKILL):
        raise SystemExit(f"{point}: ended with {killed}")
    if point == UNDISTURBED:
        os.kill(second, signal.SIGKILL)
    else:
        os.write(second_start, RESUME)
    if ended(second) not in (0, -signal.SIGKILL):
        raise SystemExit(f"{point}: not resumed")
    for end in (first_turn, first_start, second_turn, second_start):
        os.close(end)


def main(base: Path) -> None:
    """Every point in a folder and a session of its own; one line of JSON each."""
    for number, point in enumerate(POINTS):
        folder = base / str(number)
        folder.mkdir()
        play(folder, point)
        sys.stdout.write((folder / "result.json").read_text() + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
