"""Runs every case once through the compiled graph, each in a session of its own."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from graph.evaluation.cases import Case, CasesError
from graph.evaluation.scoring import Run, Score, score

if TYPE_CHECKING:
    from graph.build import DiagnosisGraph
    from graph.models import Models
    from graph.settings import Settings
    from tools.evidence import EvidenceTool
    from tools.invocations import InvocationRecord, InvocationStore


async def evaluate(
    cases: Sequence[Case],
    data: Path,
    *,
    settings: "Settings | None" = None,
    models: "Models | None" = None,
) -> AsyncIterator[Score]:
    """Score the cases one after the other, as they finish. Parameters as in `run_cases`."""
    async for case, run in run_cases(cases, data, settings=settings, models=models):
        yield score(case, run)


async def run_cases(
    cases: Sequence[Case],
    data: Path,
    *,
    settings: "Settings | None" = None,
    models: "Models | None" = None,
) -> AsyncIterator[tuple[Case, Run]]:
    """Run each case once, in a session of its own.

    `data` holds `logs/`, `knowledge/` and `db/*.sql`, each optional. The models are those given,
    else the configured provider, else the rules model. Raises `CasesError` without any data.
    """
    from graph.provider import make_models
    from graph.settings import Settings
    from tools.invocations.memory import MemoryInvocationStore

    settings = settings or Settings()
    models = models or make_models(settings.models, os.environ)
    async with _sources(data, settings) as tools:
        store = MemoryInvocationStore()
        try:
            graph = _graph(models, tools, store, settings)
            for case in cases:
                yield case, await _run(graph, store, case.query)
        finally:
            await store.aclose()


def _graph(
    models: "Models",
    tools: "list[EvidenceTool[Any]]",
    store: "InvocationStore",
    settings: "Settings",
) -> "DiagnosisGraph":
    from graph.build import build_graph

    return build_graph(models=models, tools=tools, invocations=store, settings=settings)


async def _run(graph: "DiagnosisGraph", store: "InvocationStore", question: str) -> Run:
    from langchain_core.messages import HumanMessage

    began = time.perf_counter()
    state: dict[str, Any] = await graph.ainvoke({"messages": [HumanMessage(question)]})
    seconds = time.perf_counter() - began
    found = [await store.find(key) for key in state["progress"]["invocation_keys"]]
    records: list[InvocationRecord] = [record for record in found if record is not None]
    return Run(state=state, records=records, seconds=seconds)


@asynccontextmanager
async def _sources(data: Path, settings: "Settings") -> "AsyncIterator[list[EvidenceTool[Any]]]":
    """The three tools over a data folder; its SQL scripts load into one database for the while."""
    with TemporaryDirectory(prefix="evaluation-") as folder:
        yield await asyncio.to_thread(_open_sources, data, Path(folder), settings)


def _open_sources(data: Path, folder: Path, settings: "Settings") -> "list[EvidenceTool[Any]]":
    from graph.incident import build_database
    from tools.knowledge import KnowledgeTool
    from tools.logs import LogsTool
    from tools.sql import SqlTool

    tools: list[EvidenceTool[Any]] = []
    if (data / "knowledge").is_dir():
        tools.append(KnowledgeTool(data / "knowledge"))
    if (data / "logs").is_dir():
        zone = settings.sources.logs_time_zone
        tools.append(LogsTool(data / "logs", default_timezone=zone))
    if list((data / "db").glob("*.sql")):
        target = build_database(folder / f"{data.resolve().name}.sqlite", data / "db")
        tools.append(SqlTool(f"sqlite:///{target}"))
    if not tools:
        raise CasesError(f"{data}: holds none of logs/, knowledge/, db/*.sql")
    return tools
