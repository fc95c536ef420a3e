"""What every node shares: time accounting, the resume mark, trace writing and streaming.

A node itself is a coroutine `(state, journal) -> Update` that reads state and calls the rules.
"""

import time
from collections.abc import Awaitable, Callable
from typing import Protocol

from langgraph.config import get_stream_writer
from langgraph.types import Overwrite

from graph.nodes.journal import Journal
from graph.state import State, Update

NodeBody = Callable[[State, Journal], Awaitable[Update]]


class Node(Protocol):
    """What LangGraph runs."""

    async def __call__(self, state: State) -> Update: ...


def framed(body: NodeBody, *, announces_from: int | None = None) -> Node:
    """The node that LangGraph runs. `announces_from`: the position in the trace where this node's
    streaming starts, when not at its own events."""

    async def node(state: State) -> Update:
        started = time.monotonic()
        journal = Journal(state, get_stream_writer())
        if state["remaining_steps"] != state["steps_left"] - 1:
            journal.note("RUN_RESUMED")
        update = await body(state, journal)
        since = journal.recorded if announces_from is None else announces_from
        journal.publish(since=since)
        return _closed(state, journal, update, started)

    return node


def framed_begin(body: NodeBody) -> Node:
    """The frame of `begin`: trace and usage start anew, and streaming waits for the routing."""

    async def node(state: State) -> Update:
        started = time.monotonic()
        journal = Journal(state, get_stream_writer(), fresh=True)
        update = _closed(state, journal, await body(state, journal), started)
        update["trace"] = Overwrite(update["trace"])
        return update

    return node


def _closed(state: State, journal: Journal, update: Update, started: float) -> Update:
    usage = journal.usage
    usage["seconds"] = round(usage["seconds"] + time.monotonic() - started, 6)
    return {
        **update,
        "trace": journal.new_events,
        "usage": usage,
        "steps_left": state["remaining_steps"],
    }
