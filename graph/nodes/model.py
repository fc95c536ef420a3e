"""`model`: one round of the agent: it asks for tools, writes its draft, or says nothing."""

from graph.contract.budget import collection_call_allowed, tokens_left
from graph.contract.vocabulary import Component
from graph.nodes.calls import known_name, normalised_calls
from graph.nodes.conversation import opening
from graph.nodes.ending import STEPS_FOR_MODEL, ended, out_of_budget
from graph.nodes.frame import NodeBody
from graph.nodes.journal import Journal
from graph.nodes.model_call import Reply, ask_model
from graph.nodes.shown_dialogue import ShownDialogues
from graph.parts import Parts
from graph.state import AgentStep, DialogueMessage, State, TurnChange, Update

MAX_KEPT_TEXT_CHARS = 262_144
MAX_ASIDE_CHARS = 4_096
"""Text beside tool calls is no draft; every later request would carry it."""


def model_node(parts: Parts) -> NodeBody:
    """Ask the agent once, within its budget; a draft needs no evaluation (C2.3)."""

    shown = ShownDialogues()

    async def model(state: State, journal: Journal) -> Update:
        run_id = state["run"]["run_id"]
        if state["remaining_steps"] < STEPS_FOR_MODEL:
            return out_of_budget()
        before = opening(parts, Component.DIAGNOSIS_AGENT, state)
        dialogue = shown.shown(
            run_id,
            state["dialogue"],
            before=before,
            already=state["turn"].get("shortened", 0),
            tokens_left=tokens_left(journal.usage, state["progress"]["limits"]),
        )
        reply = await ask_model(
            parts,
            Component.DIAGNOSIS_AGENT,
            [*before, *dialogue.messages],
            journal,
            state["progress"]["limits"],
            collection_call_allowed,
        )
        if reply.message is None:
            if reply.failure_code is None:
                return out_of_budget()
            return ended("FAILURE", reply.failure_code)
        calls = normalised_calls(reply.message, state["dialogue"])
        answer = DialogueMessage(
            kind="ai",
            content=_kept_text(reply, bool(calls)),
            tool_calls=calls,
        )
        if not answer["tool_calls"]:
            shown.forget(run_id)
        update = _taken_down(parts, state, journal, answer, reply.token_count)
        if not dialogue.shortened:
            return update
        turn: TurnChange = {**update["turn"], "shortened": dialogue.shortened}
        return {**update, "turn": turn}

    return model


def _kept_text(reply: Reply, beside_calls: bool) -> str:
    return reply.text[: MAX_ASIDE_CHARS if beside_calls else MAX_KEPT_TEXT_CHARS]


def _taken_down(
    parts: Parts,
    state: State,
    journal: Journal,
    answer: DialogueMessage,
    token_count: int | None,
) -> Update:
    calls = answer["tool_calls"]
    step = AgentStep(
        round=len(state["steps"]) + 1,
        action="TOOL_CALLS" if calls else "DRAFT" if answer["content"].strip() else "EMPTY",
        tool_names=[known_name(parts, call["name"]) for call in calls],
        token_count=token_count,
    )
    journal.note(
        "AGENT_MODEL_STEP",
        round=step["round"],
        action=step["action"],
        tool_calls=len(calls),
        token_count=token_count,
    )
    update: Update = {"dialogue": [answer], "steps": [step]}
    if step["action"] == "TOOL_CALLS":
        turn: TurnChange = {
            "call": 0,
            "closed": False,
            "applied": None,
            "verdict": "TOOLS_REQUESTED",
        }
        return {**update, "turn": turn}
    return {**update, **ended(step["action"])}
