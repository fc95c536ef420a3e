"""The stepwise graph for a real server: held in its second query while the file `hold` exists.

Every model or tool that is asked leaves a line in the file `passed`.
"""

import asyncio
import os
from pathlib import Path

from graph import Settings, build_graph
from graph.compiled import DiagnosisGraph
from tests.wiring.stepwise import GatedLogs, stepwise_models
from tools import SqliteInvocationStore

FOLDER = Path(os.environ["XDG_DATA_HOME"]).parent
PLACE = "tool waits"


async def gate(place: str) -> None:
    await asyncio.to_thread(_note, place)
    while place == PLACE and await asyncio.to_thread((FOLDER / "hold").exists):  # noqa: ASYNC110 - another process's file
        await asyncio.sleep(0.02)


def _note(place: str) -> None:
    with (FOLDER / "passed").open("a", encoding="utf-8") as lines:
        lines.write(f"{place}\n")


_GRAPH = build_graph(
    models=stepwise_models(gate),
    tools=[GatedLogs(gate)],
    invocations=SqliteInvocationStore(":memory:"),
    settings=Settings(),
)


async def make_graph() -> DiagnosisGraph:
    return _GRAPH
