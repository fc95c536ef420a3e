"""A graph for a real server whose one source is an MCP server, started anew by every call."""

import asyncio
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from graph import Models, Settings, build_graph
from graph.compiled import DiagnosisGraph
from graph.sources import make_tools
from tests.fakes.loose_model import LooseModel
from tests.fakes.replies import asks, draft, judged, routed
from tests.sources.mcp_servers import over_stdio
from tools import SqliteInvocationStore

SECTION = over_stdio("query_logs", factual=True, env_from=("SHOP_FOLDER",))
ASKS: dict[str, Any] = {
    "id": "c1",
    "name": "shop_query_logs",
    "args": {"input": {"query": "pool"}},
}
PROVED = draft("the pool is exhausted", ("c1", "e1", "pool exhausted"))


def settings(section: dict[str, Any] = SECTION) -> Settings:
    """Nothing built in, so that no evidence of the shipped incident is beside it."""
    return Settings(sources={"enabled": [], "mcp": {"shop": section}})


def models() -> Models:
    """They ask once and prove what they found."""
    return Models(
        agent=LooseModel(moves=[asks(ASKS)], last=PROVED),
        router=LooseModel(moves=[], last=routed()),
        evidence_repair=LooseModel(moves=[], last=PROVED),
        semantic_guard=LooseModel(moves=[], last=judged()),
    )


async def make_graph() -> DiagnosisGraph:
    return await asyncio.to_thread(_made)


@lru_cache
def _made() -> DiagnosisGraph:
    os.environ["SHOP_FOLDER"] = os.environ["XDG_DATA_HOME"]
    os.makedirs(os.environ["SHOP_FOLDER"], exist_ok=True)
    return build_graph(
        models=models(),
        tools=make_tools(settings()),
        invocations=SqliteInvocationStore(
            Path(os.environ["SHOP_FOLDER"]).parent / "records.sqlite"
        ),
        settings=settings(),
    )
