"""`begin`: fixes what the run rests on, resets its state, closes one that was cut off (C1.5)."""

import uuid

from langchain_core.messages import AIMessage, AnyMessage, RemoveMessage
from langgraph.config import get_config
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.types import Overwrite

from graph.contract.progress import begin_progress
from graph.nodes.closing import close_cut_off_run
from graph.nodes.conversation import message_text, split_question
from graph.nodes.frame import NodeBody
from graph.nodes.journal import Journal
from graph.parts import Parts
from graph.state import SCHEMA_VERSION, Run, State, TurnState, Update
from release.language import language_of
from release.message import render_message
from release.vocabulary import QuestionRefusal

MAX_QUESTION_BYTES = 16_384


def begin_node(parts: Parts) -> NodeBody:
    """A new run on its thread: two runs share nothing but the public messages (C1.3)."""

    async def begin(state: State, journal: Journal) -> Update:
        _, question = split_question(state["messages"])
        text = message_text(question) if question else ""
        run = _new_run(parts, state, text)
        journal.note(
            "RUN_STARTED",
            session_id=run["session_id"],
            run_id=run["run_id"],
            schema_version=run["schema_version"],
            prompt_version=run["prompt_version"],
        )
        journal.announce("metadata", {"run_id": run["run_id"], "session_id": run["session_id"]})
        refusal = refused_question(question is not None, text)
        update: Update = {
            "run": run,
            "release": None,
            "progress": Overwrite(begin_progress(parts.settings.limits())),
            "steps": Overwrite([]),
            "dialogue": Overwrite([]),
            "turn": _first_turn(refusal),
            "closed_run": None,
        }
        return {**update, **await _closed_predecessor(parts, state)}

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


def _new_run(parts: Parts, state: State, text: str) -> Run:
    config = get_config()
    run_id = str(config.get("configurable", {}).get("run_id") or uuid.uuid4())
    if run_id in _known_run_ids(state):
        run_id = str(uuid.uuid4())
    return Run(
        run_id=run_id,
        session_id=str(config.get("configurable", {}).get("thread_id") or run_id),
        asked_at=parts.now().isoformat(timespec="seconds"),
        time_zone=parts.settings.time_zone,
        language=language_of(text),
        schema_version=SCHEMA_VERSION,
        prompt_version=parts.prompts.version,
        released=False,
    )


def _known_run_ids(state: State) -> set[str | None]:
    """The runs of the thread: the last one, and every one whose release is a public message."""
    run = state.get("run")
    return {message.id for message in state["messages"]} | {run["run_id"] if run else None}


def _first_turn(refusal: QuestionRefusal | None) -> TurnState:
    return TurnState(
        call=0,
        closed=False,
        applied=None,
        held=None,
        verdict="RELEASE" if refusal else "DIAGNOSE",
        ending="REFUSED" if refusal else None,
        failure_code=refusal.value if refusal else None,
    )


async def _closed_predecessor(parts: Parts, state: State) -> Update:
    """A run that never reached its release becomes CANCELLED, before the new question (C1.6)."""
    run = state.get("run")
    if run is None or run["released"]:
        return {}
    closed = await close_cut_off_run(parts, state)
    before, question = split_question(state["messages"])
    notice = AIMessage(render_message(closed["release"], run["language"]), id=run["run_id"])
    rewritten: list[AnyMessage] = [
        RemoveMessage(id=REMOVE_ALL_MESSAGES),  # type: ignore[list-item]
        *before,
        notice,
        *([question] if question else []),
    ]
    return {"messages": rewritten, "closed_run": closed}
