"""`stop_required`: the only place that writes STOP_REQUIRED (C1, C3.9)."""

from pydantic import TypeAdapter

from graph.contract.budget import collection_call_allowed, observation_bytes_left
from graph.contract.vocabulary import StopReason
from graph.nodes.answers import Answers
from graph.nodes.calls import last_calls
from graph.nodes.ending import STEPS_FOR_STOP, ended
from graph.nodes.frame import NodeBody
from graph.nodes.journal import Journal
from graph.parts import Parts
from graph.state import State, TurnChange, Update
from tools.invocations import InvocationStatus
from tools.observation import (
    Observation,
    RefusalView,
    ResultView,
    StopNotice,
    checked_scopes,
    with_stop,
)

_HELD: TypeAdapter[Observation] = TypeAdapter(ResultView | RefusalView)


def stop_required_node(parts: Parts) -> NodeBody:
    """Complete the held observation with the stop, answer the rest of the message, and give the
    model one more round for its draft where one is left."""

    async def stop_required(state: State, journal: Journal) -> Update:
        limits, progress = state["progress"]["limits"], state["progress"]
        delivers = (
            collection_call_allowed(journal.usage, limits)
            and state["remaining_steps"] >= STEPS_FOR_STOP
        )
        answers = Answers(parts, journal)
        answers.progress = progress
        calls = last_calls(state["dialogue"])
        stopped = state["turn"]["call"] - 1
        view = _HELD.validate_python(state["turn"]["held"])
        if delivers:
            notice = await _notice(parts, state)
            view = with_stop(view, notice, max_bytes=observation_bytes_left(journal.usage, limits))
            journal.note("STOP_REQUIRED", reason=progress["stop_reason"])
        answers.write(calls[stopped], view)
        for call in calls[stopped + 1 :]:
            answers.skip(call)
        update: Update = {"dialogue": answers.messages}
        if not delivers:
            return {**update, **ended("CONTROLLED_STOP")}
        turn: TurnChange = {"held": None, "verdict": "ALL_ANSWERED"}
        return {**update, "turn": turn, "progress": [{"kind": "STOP_DELIVERED"}]}

    return stop_required


async def _notice(parts: Parts, state: State) -> StopNotice:
    reason = str(state["progress"]["stop_reason"])
    if reason != StopReason.INFORMATION_SATURATED:
        return StopNotice(reason=reason)
    found = await parts.boundary.find(state["progress"]["invocation_keys"])
    ready = [r for r in found.values() if r and r["status"] == InvocationStatus.READY]
    return StopNotice(reason=reason, checked=checked_scopes(ready))
