"""What holds for every run whatever its models and tools did; one function a group of rules."""

import json
from collections import Counter
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from graph.audit.events import EVENT_FIELDS
from graph.state import State
from tests.fakes.bench import Bench

MAX_REFUSAL_BYTES = 8_192
"""Refusals hold no evidence; the longest lists scopes that were checked (C4)."""
STATUSES = {"READY", "ERROR", "REJECTED"}


def hold(bench: Bench, state: dict[str, Any]) -> None:
    """Every invariant of one finished first run on a thread."""
    released_once(state)
    every_call_answered_once(state["dialogue"])
    for model in bench.models.values():
        for request in model.requests:
            protocol_clean(request)
    trace_without_gaps(state)
    tokens_as_reported(state, bench.reported)
    stop_at_most_once(state)
    counts_agree(state)
    within_limits(state)
    public_events_in_order(bench.events, state)
    assert set(state) <= set(State.__annotations__), "an undeclared key"


def released_once(state: dict[str, Any]) -> None:
    # C1.3, C1.4, C6
    assert state["release"]["outcome"] in {"SUCCESS", "FALLBACK", "FAILED", "CANCELLED"}
    assert state["run"]["released"] is True
    answers = [m for m in state["messages"] if m.id == state["run"]["run_id"]]
    assert len(answers) == 1
    assert isinstance(answers[0], AIMessage)
    assert state["messages"][-1] is answers[0]
    assert answers[0].text.strip()
    assert not answers[0].tool_calls
    json.dumps({key: value for key, value in state.items() if key != "messages"}, allow_nan=False)


def every_call_answered_once(dialogue: list[dict[str, Any]]) -> None:
    # C0, C2.5
    asked = [call["id"] for entry in dialogue for call in entry.get("tool_calls", [])]
    answered = [entry["tool_call_id"] for entry in dialogue if entry["kind"] == "tool"]
    assert Counter(asked) == Counter(answered)
    assert len(asked) == len(set(asked))
    for entry in dialogue:
        if entry["kind"] == "tool":
            seen = json.loads(entry["content"])
            assert seen["tool_call_id"] == entry["tool_call_id"]
            assert seen["status"] in STATUSES
            assert "\ufffd" not in entry["content"] or "surrogate" in entry["content"]


def protocol_clean(request: list[BaseMessage]) -> None:
    """What every provider accepts: answered calls, object arguments, unique ids, encodable text."""
    assert isinstance(request[0], SystemMessage)
    assert not any(isinstance(message, SystemMessage) for message in request[1:])
    ids: list[str] = []
    open_calls: list[str] = []
    for message in request:
        message.text.encode()
        if isinstance(message, ToolMessage):
            assert message.tool_call_id in open_calls
            open_calls.remove(message.tool_call_id)
            continue
        assert open_calls == [], "a call without an answer before the next turn"
        if isinstance(message, AIMessage):
            assert not message.invalid_tool_calls
            open_calls = [str(call["id"]) for call in message.tool_calls]
            ids += open_calls
            for call in message.tool_calls:
                assert isinstance(call["args"], dict)
                json.dumps(call, ensure_ascii=False, allow_nan=False).encode()
    assert open_calls == []
    assert len(ids) == len(set(ids))
    assert isinstance(request[-1], HumanMessage | ToolMessage)


def trace_without_gaps(state: dict[str, Any]) -> None:
    # C7
    trace = state["trace"]
    assert [event["seq"] for event in trace] == list(range(1, len(trace) + 1))
    types = [event["type"] for event in trace]
    assert types[0] == "RUN_STARTED"
    assert types[-1] == "RUN_FINISHED"
    assert types[-2] == "RELEASE_DECISION"
    assert Counter(types)["RUN_FINISHED"] == Counter(types)["RELEASE_DECISION"] == 1
    assert types.count("COLLECTION_STOPPED") == (state["release"]["stop_reason"] is not None)
    assert "RUN_RESUMED" not in types
    for event in trace:
        assert set(event) == {"seq", "type", "at", *EVENT_FIELDS[event["type"]]}


def tokens_as_reported(state: dict[str, Any], reported: list[tuple[int, int] | None]) -> None:
    # C7.2, C7.3
    usage, finished = state["usage"], state["trace"][-1]
    audited = [event for event in state["trace"] if event["type"] == "MODEL_TOKEN_USAGE"]
    unavailable = sum(not event["available"] for event in audited)
    assert usage["model_calls"] == len(audited)
    assert usage["usage_unavailable"] == finished["usage_unavailable"] == unavailable
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]
    assert sum(e["input_tokens"] + e["output_tokens"] for e in audited) == usage["total_tokens"]
    assert finished["total_tokens"] == usage["total_tokens"]
    assert finished["tokens_reconciled"] is (unavailable == 0)
    if usage["seconds"] >= state["progress"]["limits"]["max_seconds"]:
        return  # a call that ran out of time may never have reached the model, or be lost with it
    known = [pair for pair in reported if pair is not None]
    assert usage["model_calls"] == len(reported)
    assert unavailable == len(reported) - len(known)
    assert usage["input_tokens"] == sum(inputs for inputs, _ in known)
    assert usage["output_tokens"] == sum(outputs for _, outputs in known)


def stop_at_most_once(state: dict[str, Any]) -> None:
    # C3.9
    types = [event["type"] for event in state["trace"]]
    assert types.count("STOP_REQUIRED") == state["progress"]["stop_delivered"]
    orders = [e for e in state["dialogue"] if e["kind"] == "tool" and _orders_stop(e["content"])]
    assert len(orders) == types.count("STOP_REQUIRED")
    if orders:
        after = types[types.index("STOP_REQUIRED") :]
        assert after.count("AGENT_MODEL_STEP") <= 1
        assert "TOOL_INVOCATION" not in after


def _orders_stop(content: str) -> bool:
    return "stop_required" in json.loads(content)


def counts_agree(state: dict[str, Any]) -> None:
    # C1.2, C7.3
    trace, usage, steps = state["trace"], state["usage"], state["steps"]
    finished = trace[-1]
    rounds = [event for event in trace if event["type"] == "AGENT_MODEL_STEP"]
    asked = [entry for entry in state["dialogue"] if entry["kind"] == "ai"]
    assert len(rounds) == len(steps) == len(asked)
    for number, (event, step, entry) in enumerate(zip(rounds, steps, asked, strict=True), 1):
        assert event["round"] == step["round"] == number
        assert event["action"] == step["action"]
        assert event["token_count"] == step["token_count"]
        assert event["tool_calls"] == len(step["tool_names"]) == len(entry["tool_calls"])
    ran = [e for e in trace if e["type"] == "TOOL_INVOCATION" and not e["reused"]]
    refused = [e for e in trace if e["type"] == "TOOL_REQUEST_REJECTED"]
    assert finished["tool_invocations"] == usage["tool_calls"] == len(ran)
    assert finished["rejected_requests"] == len(refused)
    answers = ("TOOL_INVOCATION", "TOOL_REQUEST_REJECTED")
    answered = [e["tool_call_id"] for e in trace if e["type"] in answers]
    assert len(answered) == sum(len(entry["tool_calls"]) for entry in asked)
    progress, release = state["progress"], state["release"]
    assert progress["stop_reason"] == release["stop_reason"] == finished["stop_reason"]
    gains = [e for e in trace if e["type"] == "INFORMATION_GAIN"]
    if gains:
        assert gains[-1]["consecutive_no_gain"] == progress["consecutive_no_gain"]
        assert gains[-1]["collection_state"] == progress["collection_state"]
    assert finished["outcome"] == release["outcome"]


def within_limits(state: dict[str, Any]) -> None:
    # C8
    limits, usage = state["progress"]["limits"], state["usage"]
    assert usage["model_calls"] <= limits["max_model_calls"]
    assert usage["tool_calls"] <= limits["max_tool_calls"]
    for entry in state["dialogue"]:
        if entry["kind"] == "tool":
            result = json.loads(entry["content"])["status"] == "READY"
            bound = limits["max_observation_bytes"] if result else MAX_REFUSAL_BYTES
            assert len(entry["content"].encode()) <= bound
    sizes = [len(e["content"].encode()) for e in state["dialogue"] if e["kind"] == "tool"]
    assert usage["observation_bytes"] == sum(sizes)


def public_events_in_order(events: list[dict[str, Any]], state: dict[str, Any]) -> None:
    # api.md, "State that comes back"
    names = [event["event"] for event in events]
    assert names[0] == "metadata"
    assert names[-1] == "done"
    assert names[-2] in {"RESULT", "SAFE_FALLBACK", "failure", "cancelled"}
    first_progress = names.index("progress")
    assert names[1:first_progress] in (["ROUTING"], ["ROUTING", "DIAGNOSIS_RUNNING"], [])
    assert set(names[first_progress:-2]) == {"progress"}
    assert [e["data"] for e in events if e["event"] == "progress"] == state["trace"]
    assert events[-1]["data"] == {"outcome": state["release"]["outcome"]}
    assert events[-2]["data"] == state["release"]
