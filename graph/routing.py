"""One `Literal` router a conditional edge: a match on the last verdict, no arithmetic.

They are coroutines because LangGraph takes every other function to a thread, for each step anew.
"""

from typing import Literal

from typing_extensions import TypedDict

from graph.state import TurnState, Verdict


class Turning(TypedDict):
    """The part of the state that routing reads; LangGraph copies what a router's type names."""

    turn: TurnState


class ImpossibleVerdictError(Exception):
    """A node ended with a verdict that its router does not know; the run fails closed."""

    def __init__(self, node: str, verdict: Verdict) -> None:
        super().__init__(f"{node} cannot end with {verdict}")


async def after_route(state: Turning) -> Literal["model", "release"]:
    match state["turn"]["verdict"]:
        case "DIAGNOSE":
            return "model"
        case "RELEASE":
            return "release"
        case verdict:
            raise ImpossibleVerdictError("route", verdict)


async def after_model(state: Turning) -> Literal["envelope_gate", "release"]:
    match state["turn"]["verdict"]:
        case "TOOLS_REQUESTED":
            return "envelope_gate"
        case "RELEASE":
            return "release"
        case verdict:
            raise ImpossibleVerdictError("model", verdict)


async def after_envelope_gate(
    state: Turning,
) -> Literal["tool", "envelope_gate", "model", "stop_required", "release"]:
    match state["turn"]["verdict"]:
        case "ADMITTED":
            return "tool"
        case "NEXT_CALL":
            return "envelope_gate"
        case "ALL_ANSWERED":
            return "model"
        case "STOP":
            return "stop_required"
        case "RELEASE":
            return "release"
        case verdict:
            raise ImpossibleVerdictError("envelope_gate", verdict)


async def after_tool(state: Turning) -> Literal["envelope_gate", "model", "stop_required"]:
    match state["turn"]["verdict"]:
        case "NEXT_CALL":
            return "envelope_gate"
        case "ALL_ANSWERED":
            return "model"
        case "STOP":
            return "stop_required"
        case verdict:
            raise ImpossibleVerdictError("tool", verdict)


async def after_stop_required(state: Turning) -> Literal["model", "release"]:
    match state["turn"]["verdict"]:
        case "ALL_ANSWERED":
            return "model"
        case "RELEASE":
            return "release"
        case verdict:
            raise ImpossibleVerdictError("stop_required", verdict)
