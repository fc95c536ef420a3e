"""One question, or an unfinished run, from the command line: durable, shown live, cancellable."""

import asyncio
import os
import shlex
import uuid
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.runnables import RunnableConfig

from graph.app import open_graph
from graph.build import DiagnosisGraph
from graph.command.alert import read_alert
from graph.command.answer import print_release
from graph.command.interrupt import CANCELLED_EXIT_CODE, take_interrupt
from graph.command.live import LiveProgress
from graph.command.terminal import Terminal
from graph.command.usage import UsageError
from graph.command.wording import SENTENCES
from graph.nodes.begin import refused_question
from graph.provider import RULES_MODEL_NOTICE, provider_is_configured
from graph.sessions import cancel_run, run_config, unfinished_run
from graph.settings import Settings
from graph.state import State
from prompts import Language
from release.language import language_of
from release.message import HEADINGS

MAX_SESSION_CHARS = 128


@dataclass(frozen=True, slots=True)
class Asked:
    """`given` is the graph's input; None takes up the run that the session left unfinished."""

    given: dict[str, Any] | None
    language: Language
    session_id: str
    as_json: bool


def read_asked(
    words: list[str],
    session: str | None,
    *,
    resume: bool,
    as_json: bool,
    alert: str | None = None,
    language: Language | None = None,
) -> Asked:
    """What the caller wants. `alert`: a file, or `-`, whose scope becomes part of the question;
    alone it asks in `language`. Raises `UsageError`, one line, where that is not clear."""
    question = " ".join(words).encode("utf-8", "replace").decode()
    if session is not None and (
        not session.strip() or not session.isprintable() or len(session) > MAX_SESSION_CHARS
    ):
        raise UsageError(f"--session: up to {MAX_SESSION_CHARS} printable characters, not blank")
    if resume:
        if words or alert or session is None:
            raise UsageError("--resume: takes no question and needs --session ID")
        return Asked(None, "en", session, as_json)
    given: dict[str, Any] = {"messages": [("user", question)] if words else []}
    if alert is not None:
        given["alert"], question = read_alert(alert, question, language)
    refusal = refused_question(asked=bool(words) or alert is not None, text=question)
    if refusal is not None:
        reason = HEADINGS[language_of(question)].failed_reasons[refusal]
        raise UsageError(f"question: {reason}")
    return Asked(given, language_of(question), session or uuid.uuid4().hex[:12], as_json)


async def ask(settings: Settings, asked: Asked, terminal: Terminal) -> int:
    """Runs it to its release and prints that; returns the exit code."""
    with LiveProgress(terminal, asked.language) as live:
        async with open_graph(settings, session=asked.session_id) as graph:
            if not provider_is_configured(settings.models, os.environ):
                terminal.say(RULES_MODEL_NOTICE, "dim")
            state = await _run(graph, asked, live)
    if state is None:
        terminal.say("cancelled before the run began; nothing was recorded", "yellow")
        return CANCELLED_EXIT_CODE
    terminal.gap()
    code = print_release(terminal, state, as_json=asked.as_json)
    terminal.gap()
    _tell_where(terminal, state, settings)
    return code


async def _run(graph: DiagnosisGraph, asked: Asked, live: LiveProgress) -> State | None:
    config = run_config(asked.session_id)
    if asked.given is None:
        config, language = await _unfinished(graph, asked.session_id)
        live.speak(language)
    run = asyncio.create_task(_watch(graph, asked.given, config, live))
    try:
        await asyncio.shield(run)
    except asyncio.CancelledError:
        take_interrupt()
        live.cancelling()
        run.cancel()
        with suppress(asyncio.CancelledError):
            await run
        return await cancel_run(graph, config)
    return cast(State, (await graph.aget_state(config)).values)


async def _unfinished(graph: DiagnosisGraph, session_id: str) -> tuple[RunnableConfig, Language]:
    config = await unfinished_run(graph, session_id)
    if config is None:
        raise UsageError(f"--resume: session {session_id} has no unfinished run")
    run = (await graph.aget_state(config)).values.get("run")
    return config, run["language"] if run else "en"


async def _watch(
    graph: DiagnosisGraph, given: Any, config: RunnableConfig, live: LiveProgress
) -> None:
    stream = graph.astream(given, config, stream_mode=["custom", "updates"], durability="sync")
    async for mode, chunk in cast(Any, stream):
        if mode == "custom":
            live.public_event(chunk)
        else:
            for node, update in chunk.items():
                live.node_done(node, update or {})


def _tell_where(terminal: Terminal, state: State, settings: Settings) -> None:
    run, closed = state["run"], state["run"]["closed_run"]
    words = SENTENCES[run["language"]]
    if closed is not None:
        line = words["live.closed"].format(run_id=closed["release"]["run_id"])
        terminal.say(line, "yellow")
    folder = settings.data_dir
    options = f" --data-dir {shlex.quote(str(folder))}" if folder else ""
    session = shlex.quote(run["session_id"])
    terminal.say(words["live.session"].format(session_id=session, options=options), "dim")
    terminal.say(words["live.trace"].format(run_id=run["run_id"], options=options), "dim")
