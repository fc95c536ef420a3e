"""Scenarios as data: each file says what goes in and exactly what must come out."""

from typing import Any

import pytest

from tests.scenarios.scenario import CASES, Played, load, observations, play

NAMES = sorted(file.stem for file in CASES.glob("*.json"))


@pytest.mark.parametrize("name", NAMES)
def test_scenario_ends_exactly_as_written(name: str) -> None:
    scenario = load(name)
    played = play(scenario)
    expected = scenario["expect"]
    measured = {key: _MEASURES[key](played) for key in expected}
    assert measured == expected


@pytest.mark.parametrize("name", NAMES)
def test_what_holds_in_every_scenario(name: str) -> None:
    played = play(load(name))
    trace = played.state["trace"]
    assert [event["seq"] for event in trace] == list(range(1, len(trace) + 1))  # C7
    assert trace[-1]["type"] == "RUN_FINISHED"
    assert "canary" not in str(trace)
    assert len(played.state["messages"]) == 2  # C1.3
    asked = [call["id"] for e in played.dialogue for call in e.get("tool_calls", [])]
    answered = [e["tool_call_id"] for e in played.dialogue if e["kind"] == "tool"]
    assert asked == answered  # C0: exactly one observation a call, in order
    assert sum(event["type"] == "STOP_REQUIRED" for event in trace) <= 1  # C3.9
    named = [event for event in played.public_events if event != "progress"]
    assert named[0] == "metadata"
    assert named[-1] == "done"
    assert played.public_events.count("progress") == len(trace)


def _trace_types(played: Played) -> list[str]:
    return [event["type"] for event in played.state["trace"]]


def _rejections(played: Played) -> list[list[Any]]:
    return [
        [event["tool_call_id"], event["error_code"], event["violation_type"]]
        for event in played.state["trace"]
        if event["type"] == "TOOL_REQUEST_REJECTED"
    ]


def _gains(played: Played) -> list[list[Any]]:
    return [
        [event["tool_call_id"], event["value"], event["by"]]
        for event in played.state["trace"]
        if event["type"] == "INFORMATION_GAIN"
    ]


def _counters(played: Played) -> list[Any]:
    progress = played.state["progress"]
    return [progress["consecutive_no_gain"], progress["consecutive_protocol_violations"]]


_MEASURES = {
    "path": lambda played: played.path,
    "trace": _trace_types,
    "outcome": lambda played: played.state["release"]["outcome"],
    "fallback_type": lambda played: (played.state["release"]["fallback"] or {}).get("type"),
    "error_code": lambda played: played.state["release"]["error_code"],
    "stop_reason": lambda played: played.state["release"]["stop_reason"],
    "collection_state": lambda played: played.state["progress"]["collection_state"],
    "counters": _counters,
    "rejections": _rejections,
    "gains": _gains,
    "observations": observations,
    "runs": lambda played: played.runs["logs"],
    "model_calls": lambda played: played.state["usage"]["model_calls"],
    "actions": lambda played: [step["action"] for step in played.state["steps"]],
}
