"""What every node shares: time accounting, the resume mark, trace writing and streaming.

A node itself is a coroutine `(state, journal) -> Update` that reads state and calls the rules.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, cast

from langgraph.config import get_stream_writer
from langgraph.types import Overwrite

from graph import cut_off
from graph.audit.events import pack_event
from graph.nodes.journal import Journal
from graph.state import State, TurnChange, TurnState, Update, run_key
from graph.usage_shares import pack_share

NodeBody = Callable[[State, Journal], Awaitable[Update]]


class Node(Protocol):
    """What LangGraph runs."""

    async def __call__(self, state: State) -> Update: ...


def framed(body: NodeBody, *, announces_from: int | None = None) -> Node:
    """The node that LangGraph runs. `announces_from`: the position in the trace where this node's
    streaming starts, when not at its own events."""

    async def node(state: State) -> Update:
        journal = Journal(state, get_stream_writer())
        unwritten = cut_off.take(run_key(state["run"]))
        if unwritten is not None:
            journal.adopt(unwritten)
        if state["remaining_steps"] != state["turn"]["steps_left"] - 1:
            journal.note("RUN_RESUMED")
            journal.announce_run(state["run"])
        update = await _whole(body, state, journal)
        since = journal.recorded if announces_from is None else announces_from
        journal.publish(since=since)
        closed = _closed(state, journal, update)
        return {**closed, "turn": _differences(state["turn"], closed["turn"])}

    return node


def framed_begin(body: NodeBody) -> Node:
    """The frame of `begin`: whatever it writes replaces what the thread held, and streaming waits
    for the routing."""

    async def node(state: State) -> Update:
        journal = Journal(state, get_stream_writer(), fresh=True)
        update = _closed(state, journal, await body(state, journal))
        whole: dict[str, Any] = {**update, "usage": journal.usage, "trace": journal.trace}
        release = whole.pop("release")
        return cast(
            Update,
            {"release": release, **{key: Overwrite(value) for key, value in whole.items()}},
        )

    return node


async def _whole(body: NodeBody, state: State, journal: Journal) -> Update:
    """The node's update. What it had spent when it is cut off is not lost with it."""
    try:
        return await body(state, journal)
    except asyncio.CancelledError:
        journal.spend_time()
        cut_off.leave(run_key(state["run"]), journal.new_events, journal.spent)
        raise


def _closed(state: State, journal: Journal, update: Update) -> Update:
    """The update with what every node adds."""
    journal.spend_time()
    return {
        **update,
        "turn": {**update.get("turn", {}), "steps_left": state["remaining_steps"]},
        "trace": [pack_event(event) for event in journal.new_events],
        "usage": pack_share(journal.spent),
    }


def _differences(turn: TurnState, change: TurnChange) -> TurnChange:
    """What a node sets to another value than it has: the rest need not be written again."""
    before = turn.items()
    return cast(TurnChange, {key: new for key, new in change.items() if (key, new) not in before})
