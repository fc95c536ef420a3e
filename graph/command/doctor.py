"""`diagnose doctor`: which model, stores and sources are configured, and whether each answers."""

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from langchain_core.messages import HumanMessage
from rich import filesize
from rich.table import Table
from rich.text import Text

from graph.command.terminal import Terminal
from graph.contract.budget import collection_call_allowed
from graph.contract.vocabulary import Component
from graph.mcp_sources import enabled_servers, mcp_tools, server_place
from graph.model_settings import COMPONENT_NAMES, ComponentName
from graph.nodes.journal import Journal
from graph.nodes.model_call import ask_model
from graph.parts import Parts
from graph.provider import make_models
from graph.providers.choice import ChosenModel, chosen_model
from graph.settings import Settings, SettingsError
from graph.sources import Source, built_in_sources, own_sources, without_credentials
from graph.state import State
from graph.stores.faults import SessionStoreUnavailable
from graph.stores.records import make_store, records_kept, records_place
from graph.stores.retention import KEPT_UNTIL_PRUNED
from graph.stores.sessions import open_sessions, sessions_place
from prompts import load_prompts
from tools.boundary import ToolBoundary
from tools.evidence import ToolFailure
from tools.invocations import KeptStore, StoreUnavailable
from tools.invocations.memory import MemoryInvocationStore

PATIENCE_SECONDS = 20.0
WRONG_SETTING = "WRONG_SETTING"
_COMPONENTS: dict[ComponentName, Component] = {
    "agent": Component.DIAGNOSIS_AGENT,
    "router": Component.ROUTER,
    "evidence_repair": Component.EVIDENCE_REPAIR,
    "semantic_guard": Component.SEMANTIC_GUARD,
}


@dataclass(frozen=True, slots=True)
class Check:
    """One part: what is configured and, when it does not answer, the code of its failure. What
    offers no question that costs little is not `asked`."""

    part: str
    configured: str
    failure: str | None = None
    asked: bool = True


async def examine(settings: Settings, terminal: Terminal) -> int:
    """Asks every part once; exit code 0 when all answer, else 2."""
    table = Table(box=None, pad_edge=False, show_header=False)
    sound = True
    async for check in _checks(settings):
        sound = sound and check.failure is None
        configured = Text(check.configured, overflow="fold")
        table.add_row(Text(check.part, "bold"), _verdict(check), configured)
    terminal.out.print(table)
    return 0 if sound else 2


def _verdict(check: Check) -> Text:
    if check.failure is not None:
        return Text(check.failure, "red")
    return Text("answers", "green") if check.asked else Text("taken", "dim")


async def _checks(settings: Settings) -> AsyncIterator[Check]:
    try:
        async for check in _models(settings):
            yield check
    except SettingsError as wrong:
        yield Check("model", str(wrong), WRONG_SETTING)
    yield await _sessions(settings)
    yield await _records(settings)
    try:
        for sources in (built_in_sources, own_sources):
            for source in await asyncio.to_thread(sources, settings):
                failure, asked = await _source_failure(source), source.probe is not None
                yield Check(source.tool.name, source.place, failure, asked)
    except SettingsError as wrong:
        yield Check("sources", str(wrong), WRONG_SETTING)
    for name in enabled_servers(settings):
        yield await _server(settings, name)


async def _models(settings: Settings) -> AsyncIterator[Check]:
    """Each model once, with the components it answers for where they have several."""
    groups: list[tuple[ChosenModel | None, list[ComponentName]]] = []
    for name in COMPONENT_NAMES:
        chosen = chosen_model(settings.models, name, os.environ)
        same = next((names for other, names in groups if other == chosen), None)
        if same is None:
            groups.append((chosen, same := []))
        same.append(name)
    for chosen, names in groups:
        part = "model" if "agent" in names else f"model.{names[0]}"
        whose = f" ({', '.join(names)})" if len(groups) > 1 else ""
        failure = await _model_failure(settings, names[0]) if chosen else None
        yield Check(part, f"{_model_name(chosen)}{whose}", failure)


async def _model_failure(settings: Settings, name: ComponentName) -> str | None:
    """One short question; the fault of a provider is a code, never its text."""
    parts = Parts(
        models=make_models(settings.models, os.environ).by_component(),
        tools={},
        boundary=ToolBoundary(MemoryInvocationStore()),
        settings=settings,
        prompts=load_prompts(settings.prompts.dir),
        now=lambda: datetime.now(UTC),
    )
    reply = await ask_model(
        parts,
        _COMPONENTS[name],
        [HumanMessage('Answer with the JSON object {"intent": "DIAGNOSIS"}.')],
        Journal(cast(State, {}), lambda event: None, fresh=True),
        {
            **settings.limits(),
            "max_model_calls": 1,
            "release_reserve_calls": 0,
            "max_seconds": PATIENCE_SECONDS,
        },
        collection_call_allowed,
    )
    return None if reply.message else reply.failure_code or "MODEL_TIMEOUT"


def _model_name(chosen: ChosenModel | None) -> str:
    if chosen is None:
        return "built-in rules model: deterministic, offline, finds simple causes only"
    return f"{chosen.name} at {without_credentials(chosen.base_url or 'api.openai.com')}"


async def _sessions(settings: Settings) -> Check:
    try:
        async with open_sessions(settings) as sessions:
            await sessions.saver.aget_tuple({"configurable": {"thread_id": ""}})
            size = filesize.decimal(await sessions.size_bytes())
    except SettingsError as wrong:
        return Check("sessions", str(wrong), WRONG_SETTING)
    except SessionStoreUnavailable as unavailable:
        return Check("sessions", sessions_place(settings), unavailable.code)
    return Check("sessions", f"{sessions_place(settings)}, {size}; {KEPT_UNTIL_PRUNED}")


async def _records(settings: Settings) -> Check:
    try:
        store = make_store(settings)
    except SettingsError as wrong:
        return Check("records", str(wrong), WRONG_SETTING)
    try:
        await store.find("")
        size = await _size(store, estimated=settings.stores.records.url is not None)
    except StoreUnavailable as unavailable:
        return Check("records", records_place(settings), unavailable.code)
    finally:
        await store.aclose()
    place = f"{records_place(settings)}, {size}; {records_kept(settings)}"
    return Check("records", place)


async def _size(store: KeptStore, *, estimated: bool) -> str:
    """Who may use the records need not be one who may measure them."""
    try:
        return ("about " if estimated else "") + filesize.decimal(await store.size_bytes())
    except StoreUnavailable as refused:
        return f"an unknown size ({refused.code})"


async def _server(settings: Settings, name: str) -> Check:
    """An MCP server answers when it offers the tools that are to be taken."""
    try:
        tools = await asyncio.to_thread(mcp_tools, settings, name)
    except SettingsError as wrong:
        return Check(f"mcp.{name}", str(wrong), WRONG_SETTING)
    named = ", ".join(tool.name for tool in tools)
    return Check(f"mcp.{name}", f"{server_place(settings.sources.mcp[name])} ({named})")


async def _source_failure(source: Source) -> str | None:
    if source.probe is None:
        return None
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await source.tool.search(source.tool.Input(**source.probe))
    except ToolFailure as failure:
        return failure.code
    except TimeoutError:
        return "TOOL_TIMEOUT"
    return None
