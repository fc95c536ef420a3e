"""Every key a node writes is declared, JSON-plain, and shown only where it belongs (C1.2, C1.3)."""

import asyncio
import json
import typing
from typing import Any

import pytest

from graph.nodes.begin import begin_node
from graph.nodes.envelope_gate import envelope_gate_node
from graph.nodes.model import model_node
from graph.nodes.release import release_node
from graph.nodes.route import route_node
from graph.nodes.stop_required import stop_required_node
from graph.nodes.tool import tool_node
from graph.state import OutputState, State, Update
from tests.fakes.bench import QUESTION, Bench, play
from tests.fakes.replies import MISSING_CONTEXT, PROVED, asks, call, said

# what nodes may write: steps are LangGraph's, an alert is the caller's alone
DECLARED = set(typing.get_type_hints(State)) - {"remaining_steps", "alert"}
RUNS: dict[str, list[Any]] = {
    "proved": [asks(call("c1", "pool")), PROVED],
    "saturated": [asks(call("c1", "empty"), call("c2", "empty")), said("no more")],
    "refused": [asks(call("c1", "pool", "c0")), asks(call("c1", "pool", "c0")), said("")],
    "missing": [MISSING_CONTEXT],
    "failed": [asks(call("c1", "boom")), RuntimeError("secret")],
}
OUTPUT = {"messages", "release", "progress", "usage", "steps", "trace"}


@pytest.mark.parametrize("script", RUNS)
def test_every_key_a_node_returns_is_declared(script):
    # C1.2: LangGraph drops an undeclared key without a word
    bench = Bench(agent=RUNS[script])
    play(bench)
    written = {key for update in bench.updates for node in update.values() for key in node or {}}
    assert written <= DECLARED
    assert written <= set(typing.get_type_hints(Update))


def test_every_node_of_the_contract_writes_something():
    # C1: the runs above visit them all
    visited = set()
    for script in RUNS.values():
        bench = Bench(agent=script)
        play(bench)
        visited |= {node for update in bench.updates for node in update}
    nodes = (
        begin_node,
        route_node,
        model_node,
        envelope_gate_node,
        tool_node,
        stop_required_node,
        release_node,
    )
    assert visited == {node.__name__.removesuffix("_node") for node in nodes}


def test_the_updates_a_node_may_write_are_the_state():
    # C1.2: one declaration cannot run away from the other
    assert set(typing.get_type_hints(Update)) == DECLARED
    assert set(typing.get_type_hints(OutputState)) == OUTPUT


@pytest.mark.parametrize("script", RUNS)
def test_the_state_is_plain_json_but_for_the_messages(script):
    # C1.2: any checkpoint restores it, and Studio shows it
    bench = Bench(agent=RUNS[script])
    state = play(bench)
    plain = {key: value for key, value in state.items() if key != "messages"}
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain


def test_a_caller_gets_the_public_keys_only():
    # api.md: the dialogue lies in checkpoints, not in the output
    bench = Bench(agent=RUNS["proved"])
    given = {"messages": [("user", QUESTION)]}
    result = asyncio.run(bench.graph.ainvoke(given, {"configurable": {"thread_id": "t"}}))
    assert set(result) == OUTPUT
    assert set(bench.graph.get_output_jsonschema()["properties"]) == OUTPUT
    assert set(bench.graph.get_input_jsonschema()["properties"]) == {"messages", "alert"}
