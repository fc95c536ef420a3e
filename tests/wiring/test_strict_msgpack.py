"""Checkpoints under `LANGGRAPH_STRICT_MSGPACK=true` hold primitives only, so all comes back (C1.2).

langgraph 7533, 7695: run and resume without a warning, with the same counters.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the program printed."""
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            "-m",
            "tests.wiring.strict_runs",
            str(tmp_path_factory.mktemp("strict")),
        ],
        cwd=ROOT,
        env={**os.environ, "LANGGRAPH_STRICT_MSGPACK": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def types(state: dict[str, Any]) -> list[str]:
    return [event["type"] for event in state["trace"]]


def test_nothing_is_warned_of(said):
    assert said["logged"] == []


def test_the_same_question_ends_the_same(said):
    # C1.3
    steps = said["steps"]
    first, resumed, again = steps["first"], steps["resumed"], steps["asked again"]
    for state in (first, resumed, again):
        assert state["release"]["outcome"] == "SUCCESS"
        assert state["release"]["conclusion"] == first["release"]["conclusion"]
        assert state["steps"] == first["steps"]
        assert state["dialogue"] == first["dialogue"]
        assert {**state["usage"], "seconds": 0} == {**first["usage"], "seconds": 0}
        assert state["progress"]["completed"] == first["progress"]["completed"]


def test_the_resumed_run_has_the_counters_it_had(said):
    # C1.2
    steps = said["steps"]
    assert types(steps["cut off"])[-1] == "AGENT_MODEL_STEP"
    assert types(steps["cut off again"])[-1] == "TOOL_INVOCATION"
    assert steps["cut off again"]["progress"]["pending"] == {
        "tool_call_id": "c1",
        "tool": "query_logs",
    }
    assert types(steps["resumed"]).count("RUN_RESUMED") == 2
    kept = [kind for kind in types(steps["resumed"]) if kind != "RUN_RESUMED"]
    assert kept == types(steps["first"])
    numbers = [event["seq"] for event in steps["resumed"]["trace"]]
    assert numbers == list(range(1, len(numbers) + 1))


def test_the_cut_off_run_is_closed_and_the_messages_are_whole(said):
    # C1.6
    steps = said["steps"]
    closed = steps["asked again"]["run"]["closed_run"]
    assert closed["release"]["outcome"] == "CANCELLED"
    assert closed["release"]["run_id"] == steps["cut off once more"]["run"]["run_id"]
    assert len(steps["first"]["messages"]) == 2
    assert len(steps["resumed"]["messages"]) == 4
    assert len(steps["asked again"]["messages"]) == 8
