"""`release`: what the user is given, once, and the end of the run's audit (C6, C7)."""

from typing import Any, Literal

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from graph.contract.budget import release_call_allowed
from graph.contract.vocabulary import Component
from graph.nodes.closing import note_finished
from graph.nodes.conversation import message_text, prompt_language, split_question
from graph.nodes.frame import NodeBody
from graph.nodes.journal import Journal, PublicEvent
from graph.nodes.model_call import ask_model
from graph.nodes.snapshot import read_snapshot
from graph.parts import Parts
from graph.state import State, Update, run_key
from release.message import render_message
from release.pipeline import AskModel, ReleaseCase, run_release
from release.released import masked_release
from release.snapshot import ProgressSnapshot
from release.vocabulary import ReleaseOutcome
from tools.masking import Masker

_EVENT_BY_OUTCOME: dict[str, PublicEvent] = {
    ReleaseOutcome.SUCCESS: "RESULT",
    ReleaseOutcome.FALLBACK: "SAFE_FALLBACK",
    ReleaseOutcome.FAILED: "failure",
    ReleaseOutcome.CANCELLED: "cancelled",
}


def release_node(parts: Parts) -> NodeBody:
    """Judge the draft or the progress without one, and publish."""

    async def release(state: State, journal: Journal) -> Update:
        stop_reason = state["progress"]["stop_reason"]
        if stop_reason:
            journal.note("COLLECTION_STOPPED", stop_reason=stop_reason)
        case = _case(state, await read_snapshot(parts, state))
        judged = await run_release(
            case,
            _ask(parts, state, journal),
            lambda kind, fields: journal.note(kind, **fields),
            prompt=lambda component, _: parts.prompts(
                component, prompt_language(parts, state["run"])
            ),
        )
        released = masked_release(judged, Masker(run_key(state["run"])).text)
        note_finished(journal, released)
        journal.announce_last(_EVENT_BY_OUTCOME[released["outcome"]], dict(released))
        journal.announce_last("done", {"outcome": released["outcome"]})
        return {
            "release": released,
            "messages": [AIMessage(render_message(released, case.language), id=case.run_id)],
            "run": {"released": True},
        }

    return release


def _case(state: State, snapshot: ProgressSnapshot) -> ReleaseCase:
    run, turn = state["run"], state["turn"]
    _, question = split_question(state["messages"])
    return ReleaseCase(
        question=message_text(question) if question else "",
        language=run["language"],
        run_id=run["run_id"],
        session_id=run["session_id"],
        intent_out_of_scope=turn["ending"] == "OUT_OF_SCOPE",
        cancelled=turn["ending"] == "CANCELLED",
        failure_code=turn["failure_code"],
        final_text=state["dialogue"][-1]["content"] if turn["ending"] == "DRAFT" else None,
        snapshot=snapshot,
        stop_reason=state["progress"]["stop_reason"],
    )


def _ask(parts: Parts, state: State, journal: Journal) -> AskModel:
    async def ask(
        component: Literal["EVIDENCE_REPAIR", "SEMANTIC_GUARD"], messages: list[Any]
    ) -> str | None:
        reply = await ask_model(
            parts,
            Component(component),
            [
                SystemMessage(text) if role == "system" else HumanMessage(text)
                for role, text in messages
            ],
            journal,
            state["progress"]["limits"],
            release_call_allowed,
        )
        return reply.text if reply.message else None

    return ask
