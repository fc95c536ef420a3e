"""The end of a cancelled run: one CANCELLED release, written by the graph's own `release` node.

A cancelled invocation persists it before its `CancelledError` goes on to the caller. Where that
was not possible (no time, no store, the process gone), the next question closes the run (C1.6).
"""

from datetime import UTC, datetime
from typing import Any, cast

from langchain_core.runnables import RunnableConfig, ensure_config
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot

from graph import cut_off
from graph.audit.events import PackedEvent, failed_invocation, make_event, pack_event
from graph.contract.vocabulary import Component, Rejection
from graph.state import DialogueMessage, State, Update, run_key
from graph.usage_shares import pack_share
from tools.boundary import CANCELLED_CODE
from tools.observation import RefusalView, observation_text
from tools.shielded import to_its_end

CLOSING_SECONDS = 10.0
"""What persisting the release may take before a cancelled caller is let go without it."""

_STEPS_TO_CLOSE = 4
_STEPS_LEFT_BEFORE = _STEPS_TO_CLOSE + 2
"""What the step before `release` would have seen: the first step sees its limit and one more."""

_BEFORE_THE_RUN = ({"__start__"}, {"begin"})
_AWAITS_BEGIN = frozenset({"__start__", "branch:to:begin"})
"""Channels that hold a value in the checkpoints before `begin` has run, and in no other."""
_ASKS: dict[tuple[str, ...], Component] = {
    ("route",): Component.ROUTER,
    ("model",): Component.DIAGNOSIS_AGENT,
}
"""Nodes that do nothing but ask a model."""

_OF_ONE_CHECKPOINT = ("checkpoint_id", "checkpoint_map")

Graph = CompiledStateGraph[Any, Any, Any, Any]


async def close_cancelled(graph: Graph, config: RunnableConfig, *, resumed: bool) -> None:
    """What a cancelled invocation with `config` does before it re-raises; raises nothing itself.

    `resumed`: it went on with the thread's last run, under whatever run id.
    """
    await to_its_end(_closed(graph, config, resumed), seconds=CLOSING_SECONDS)


async def cancel_run(graph: Graph, config: RunnableConfig) -> State | None:
    """End the run of `config` as CANCELLED, by the graph's own `release`, after its invocation was
    cut off. Returns the state then; the run's own where it was released before; None where
    the run had not begun, so that there is nothing to end."""
    snapshot = await graph.aget_state(config)
    if run_id_of(snapshot.metadata) != config["configurable"]["run_id"]:
        return None
    return await _end_last_run(graph, config)


async def close_unbegun(
    graph: Graph, config: RunnableConfig, saved: CheckpointTuple | None
) -> None:
    """Before a new question of `config`: ends the run whose question is all that the thread's
    latest checkpoint has of it (C1.6). The same run, tried again by its host, goes on."""
    place = ensure_config(config)["configurable"]
    run_id = run_id_of(saved.metadata) if saved else None
    if saved is None or run_id in (None, place.get("run_id")):
        return
    if place.get("checkpoint_ns") or place.get("checkpoint_id"):
        return  # another graph keeps the run, or the question goes back to before it
    if saved.metadata.get("source") == "update":
        return  # what a host wrote is history, and no question of a run
    if _AWAITS_BEGIN & saved.checkpoint["channel_values"].keys():
        thread = _latest_of(config)
        await _end_last_run(
            graph, {**thread, "configurable": {**thread["configurable"], "run_id": run_id}}
        )


async def has_steps_left(graph: Graph, snapshot: StateSnapshot) -> bool:
    """Whether the checkpoint is not the run's last. A step that was written but not yet made a
    checkpoint counts as left: a new question would drop it."""
    recorded = await graph.aget_state(snapshot.config)
    return bool(recorded.next)


def run_id_of(metadata: Any) -> str | None:
    """The run id that the invocation of a checkpoint was configured with."""
    found = (metadata or {}).get("run_id")
    return str(found) if found else None


async def _closed(graph: Graph, config: RunnableConfig, resumed: bool) -> None:
    if ensure_config(config)["configurable"].get("checkpoint_ns"):
        return  # a node of another graph, which keeps the run
    thread = _latest_of(config)
    if resumed:
        await _end_last_run(graph, thread)
    elif "run_id" in thread["configurable"]:
        await cancel_run(graph, thread)


async def _end_last_run(graph: Graph, config: RunnableConfig) -> State | None:
    snapshot = await graph.aget_state(config)
    recorded = await graph.aget_state(snapshot.config)
    interrupted = snapshot.next
    if set(recorded.next) in _BEFORE_THE_RUN:
        await _go_on(graph, config, interrupt_after=["begin"])
        snapshot, interrupted = await graph.aget_state(config), ()
    if not snapshot.values.get("run"):
        return None
    state = cast(State, snapshot.values)
    if not state["run"]["released"]:
        await graph.aupdate_state(config, _cancelled(state, interrupted), as_node="model")
    if await has_steps_left(graph, await graph.aget_state(config)):
        await _go_on(graph, {**config, "recursion_limit": _STEPS_TO_CLOSE})
    return cast(State, (await graph.aget_state(config)).values)


async def _go_on(graph: Graph, config: RunnableConfig, **options: Any) -> None:
    """As LangGraph does: a closing that is cut off is not closed in turn."""
    steps = CompiledStateGraph.astream(graph, None, config, durability="sync", **options)
    async for _ in steps:
        pass


def _latest_of(config: RunnableConfig) -> RunnableConfig:
    """The thread of a configuration, where it stands now; callbacks and tracers saw their end."""
    kept = {
        key: value
        for key, value in config.get("configurable", {}).items()
        if key not in _OF_ONE_CHECKPOINT
    }
    return {"configurable": kept, "metadata": config.get("metadata", {})}


def _cancelled(state: State, interrupted: tuple[str, ...]) -> dict[str, Any]:
    """Straight to release from the nodes that were cut off. The dialogue is left whole, and nothing
    here counts as a resume."""
    update: Update = {
        **_account(state, interrupted),
        "dialogue": [_not_executed(call_id, name) for call_id, name in _unanswered(state)],
        "turn": {
            "verdict": "RELEASE",
            "ending": "CANCELLED",
            "failure_code": None,
            "held": None,
            "steps_left": _STEPS_LEFT_BEFORE,
        },
    }
    return dict(update)


def _account(state: State, interrupted: tuple[str, ...]) -> Update:
    """What a node that was cut off had asked for and could not write down: the tool call, or the
    model call, whose tokens nobody knows (C7.2, C7.3)."""
    unwritten = cut_off.take(run_key(state["run"]))
    if unwritten is not None and unwritten.events:
        first = len(state["trace"]) + 1
        events = [pack_event({**e, "seq": seq}) for seq, e in enumerate(unwritten.events, first)]
        return {"trace": events, "usage": pack_share(unwritten.usage)}
    component = None if unwritten is not None else _ASKS.get(interrupted)
    if component is not None:
        spent = pack_share({"model_calls": 1, "usage_unavailable": 1})
        return {"trace": [_event(state, *_model_call(state, component))], "usage": spent}
    if state["turn"]["verdict"] == "ADMITTED":
        spent = pack_share({"tool_calls": 1})
        return {"trace": [_event(state, *_tool_call(state))], "usage": spent}
    return {}


def _event(state: State, kind: str, fields: dict[str, Any]) -> PackedEvent:
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    return pack_event(make_event(kind, fields, seq=len(state["trace"]) + 1, at=at))


def _model_call(state: State, component: Component) -> tuple[str, dict[str, Any]]:
    rounds = [event for event in state["trace"] if event["type"] == "MODEL_TOKEN_USAGE"]
    asked = [event["component"] for event in rounds]
    return "MODEL_TOKEN_USAGE", {
        "component": component,
        "component_round": 1 + asked.count(component),
        "available": False,
        "input_tokens": 0,
        "output_tokens": 0,
        "cached_tokens": 0,
    }


def _tool_call(state: State) -> tuple[str, dict[str, Any]]:
    asked = next(entry for entry in reversed(state["dialogue"]) if entry["kind"] == "ai")
    call = asked["tool_calls"][state["turn"]["call"]]
    return "TOOL_INVOCATION", failed_invocation(
        call["id"], call["name"], CANCELLED_CODE, reused=False
    )


def _unanswered(state: State) -> list[tuple[str, str]]:
    dialogue = state["dialogue"]
    answered = {entry["tool_call_id"] for entry in dialogue if entry["kind"] == "tool"}
    calls = (call for entry in dialogue for call in entry.get("tool_calls", []))
    return [(call["id"], call["name"]) for call in calls if call["id"] not in answered]


def _not_executed(call_id: str, name: str) -> DialogueMessage:
    view = RefusalView(tool_call_id=call_id, error_code=Rejection.NOT_EXECUTED)
    return DialogueMessage(
        kind="tool", tool_call_id=call_id, name=name, content=observation_text(view)
    )
