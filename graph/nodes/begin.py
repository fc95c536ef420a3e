"""`begin`: fixes what the run rests on, resets its state, closes one that was cut off (C1.5)."""

import secrets
import uuid
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.config import get_config

from graph.alerts import AlertRefused, alert_question
from graph.contract.progress import begin_progress
from graph.nodes.closing import close_cut_off_run
from graph.nodes.conversation import message_text, split_question
from graph.nodes.frame import NodeBody
from graph.nodes.journal import Journal
from graph.parts import Parts
from graph.state import SCHEMA_VERSION, ClosedRun, Run, State, TurnChange, Update
from release.language import language_of
from release.message import render_message
from release.vocabulary import QuestionRefusal
from tools.masking import Masker

MAX_QUESTION_BYTES = 16_384
_RUN_KEY_BYTES = 16


def begin_node(parts: Parts) -> NodeBody:
    """A new run on its thread: two runs share nothing but the public messages (C1.3)."""

    async def begin(state: State, journal: Journal) -> Update:
        before, given = _given(state)
        after = state["messages"][len(before) + (given is not None) :]
        key = secrets.token_hex(_RUN_KEY_BYTES)
        question, refusal = _asked(parts, given, state.get("alert"), Masker(key))
        text = message_text(question) if question else ""
        closed, notices = await _closed_predecessor(parts, state)
        run = _new_run(parts, state, key, text, closed)
        journal.note(
            "RUN_STARTED",
            session_id=run["session_id"],
            run_id=run["run_id"],
            schema_version=run["schema_version"],
            prompt_version=run["prompt_version"],
        )
        journal.announce_run(run)
        refusal = refusal or refused_question(question is not None, text)
        return {
            "messages": [*before, *notices, *([question] if question else []), *after],
            "run": run,
            "release": None,
            "progress": begin_progress(parts.settings.limits()),
            "steps": [],
            "dialogue": [],
            "turn": _first_turn(refusal),
        }

    return begin


def refused_question(asked: bool, text: str) -> QuestionRefusal | None:
    """Why a question cannot be diagnosed at all (C1.5)."""
    if not asked:
        return QuestionRefusal.QUESTION_MISSING
    if not text.strip():
        return QuestionRefusal.QUESTION_EMPTY
    if len(text.encode("utf-8", "replace")) > MAX_QUESTION_BYTES:
        return QuestionRefusal.QUESTION_TOO_LONG
    return None


def _new_run(parts: Parts, state: State, key: str, text: str, closed: ClosedRun | None) -> Run:
    config = get_config()
    run_id = str(config.get("configurable", {}).get("run_id") or uuid.uuid4())
    if run_id in _known_run_ids(state):
        run_id = str(uuid.uuid4())
    return Run(
        run_id=run_id,
        run_key=key,
        session_id=str(config.get("configurable", {}).get("thread_id") or run_id),
        asked_at=parts.now().isoformat(timespec="seconds"),
        time_zone=parts.settings.time_zone,
        language=language_of(text),
        schema_version=SCHEMA_VERSION,
        prompt_version=parts.prompts.version,
        closed_run=closed,
        released=False,
    )


def _known_run_ids(state: State) -> set[str | None]:
    """The runs of the thread: the last one, and every one whose release is a public message."""
    return {message.id for message in state["messages"]} | {state["run"].get("run_id")}


def _first_turn(refusal: QuestionRefusal | None) -> TurnChange:
    return TurnChange(
        call=0,
        closed=False,
        applied=None,
        held=None,
        verdict="RELEASE" if refusal else "DIAGNOSE",
        ending="REFUSED" if refusal else None,
        failure_code=refusal.value if refusal else None,
    )


def _given(state: State) -> tuple[list[AnyMessage], HumanMessage | None]:
    """The public messages before, and what the user wrote for this run. Where an alert came alone,
    the unanswered question of a run that was cut off stays that run's."""
    before, given = split_question(state["messages"])
    run = state["run"]
    cut_off = bool(run) and not run["released"]
    if state.get("alert") is not None and cut_off and split_question(before)[1] is None:
        return state["messages"], None
    return before, given


def _asked(
    parts: Parts, given: HumanMessage | None, payload: Any, masker: Masker
) -> tuple[HumanMessage | None, QuestionRefusal | None]:
    """The question, or why there is none. One that came with an alert holds its scope, so that the
    session shows what was asked (C1.3)."""
    if payload is None:
        return given, None
    chosen = parts.settings.prompts.language
    words = message_text(given) if given else ""
    try:
        spoken = None if chosen == "auto" else chosen
        text = alert_question(payload, words, masker, language=spoken)
    except AlertRefused as refused:
        return given, refused.refusal
    return HumanMessage(text, id=(given.id if given else None) or str(uuid.uuid4())), None


async def _closed_predecessor(
    parts: Parts, state: State
) -> tuple[ClosedRun | None, list[AnyMessage]]:
    """A run that never reached its release becomes CANCELLED, before the new question (C1.6).
    Returns how, and the public message that says so."""
    run = state["run"]
    if not run or run["released"]:
        return None, []
    closed = await close_cut_off_run(parts, state)
    notice = AIMessage(render_message(closed["release"], run["language"]), id=run["run_id"])
    return closed, [notice]
