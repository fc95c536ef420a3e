"""`route`: is this a diagnosis question? An unreadable answer means that it is."""

from typing import Literal

from graph.contract.budget import collection_call_allowed
from graph.contract.vocabulary import Component
from graph.nodes.conversation import opening
from graph.nodes.ending import STEPS_FOR_NEXT, ended, out_of_budget
from graph.nodes.frame import NodeBody
from graph.nodes.journal import Journal
from graph.nodes.model_call import ask_model
from graph.parts import Parts
from graph.state import State, Update
from release.reply import read_object

Intent = Literal["DIAGNOSIS", "OUT_OF_SCOPE"]


def route_node(parts: Parts) -> NodeBody:
    """One call of the router's model, unless the question was refused already."""

    async def route(state: State, journal: Journal) -> Update:
        if state["turn"]["verdict"] == "RELEASE":
            return {}
        if state["remaining_steps"] < STEPS_FOR_NEXT:
            return out_of_budget()
        journal.announce("ROUTING", {"run_id": state["run"]["run_id"]})
        journal.note("ROUTING_ATTEMPT", round=1)
        reply = await ask_model(
            parts,
            Component.ROUTER,
            opening(parts, Component.ROUTER, state),
            journal,
            state["progress"]["limits"],
            collection_call_allowed,
        )
        if reply.message is None:
            if reply.failure_code is None:
                return out_of_budget()
            return ended("FAILURE", reply.failure_code)
        intent, readable = read_intent(reply.text)
        journal.note("ROUTING_DECISION", round=1, intent=intent, readable=readable)
        if intent == "OUT_OF_SCOPE":
            return ended("OUT_OF_SCOPE")
        journal.announce("DIAGNOSIS_RUNNING", {"run_id": state["run"]["run_id"]})
        return {}

    return route


def read_intent(text: str) -> tuple[Intent, bool]:
    """The intent, and whether the router's answer could be read."""
    match (read_object(text) or {}).get("intent"):
        case "OUT_OF_SCOPE":
            return "OUT_OF_SCOPE", True
        case "DIAGNOSIS":
            return "DIAGNOSIS", True
        case _:
            return "DIAGNOSIS", False
