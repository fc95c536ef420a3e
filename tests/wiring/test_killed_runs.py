"""A run killed by SIGKILL at any node and inside any query ends as if nothing had happened (C5.1).

Another process goes on with it, over files and over one Redis and one PostgreSQL. The counters go
on where they were (C1.2), and no query with a READY record runs twice.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.wiring.killed_runs import POINTS, UNDISTURBED
from tests.wiring.whole_runs import every_call_answered_once

ROOT = Path(__file__).parents[2]
KILLED = [point for point in POINTS if point != UNDISTURBED]
BEFORE_ITS_BEGIN = {"enter begin 1", "leave begin 1"}
IDS = ("run_id", "session_id")
ALL = ["pool", "first", "second"]


Results = dict[str, dict[str, Any]]


@pytest.fixture(scope="module", params=["files", "servers"])
def results(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Every point's final state and executions."""
    stores = {}
    if request.param == "servers":
        stores["STORES__SESSIONS__URL"] = request.getfixturevalue("postgres_server").new_database()
        stores["STORES__RECORDS__URL"] = request.getfixturevalue("records_redis").url
    folder = tmp_path_factory.mktemp("killed")
    program = [sys.executable, "-W", "error", "-m", "tests.wiring.killed_runs", str(folder)]
    done = subprocess.run(
        program, cwd=ROOT, env={**os.environ, **stores}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return dict(zip(POINTS, lines, strict=True))


def without(values: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key not in keys}


def events(state: dict[str, Any]) -> list[dict[str, Any]]:
    """The trace without what a kill adds, and without times."""
    added = {"RUN_RESUMED", "TOOL_TAKEN_OVER"}
    kept = [event for event in state["trace"] if event["type"] not in added]
    return [without(event, "seq", "at", "duration_ms", "reused", *IDS) for event in kept]


def types(state: dict[str, Any]) -> Counter[str]:
    return Counter(event["type"] for event in state["trace"])


def test_the_run_that_nobody_kills_visits_every_node_it_can(results):
    state = results[UNDISTURBED]["state"]
    assert state["release"]["outcome"] == "SUCCESS"
    assert state["release"]["stop_reason"] == "INFORMATION_SATURATED"
    assert results[UNDISTURBED]["executions"] == ALL
    assert types(state)["RUN_RESUMED"] == types(state)["TOOL_TAKEN_OVER"] == 0


@pytest.mark.parametrize("point", KILLED)
def test_the_resumed_run_ends_with_the_same_result(results, point):
    # C1.2, C5.1
    state, whole = results[point]["state"], results[UNDISTURBED]["state"]
    assert without(state["release"], *IDS) == without(whole["release"], *IDS)
    assert state["messages"] == whole["messages"]
    assert state["dialogue"] == whole["dialogue"]
    assert state["steps"] == whole["steps"]
    assert without(state["progress"], "invocation_keys") == without(
        whole["progress"], "invocation_keys"
    )
    every_call_answered_once(state["dialogue"])
    if point not in BEFORE_ITS_BEGIN:
        assert state["run"]["run_id"] == f"run-{POINTS.index(point)}"
        own = ("run_key", "asked_at", *IDS)  # the key is random
        assert without(state["run"], *own) == without(whole["run"], *own)


@pytest.mark.parametrize("point", KILLED)
def test_the_counters_go_on_where_they_were(results, point):
    # C1.2, C8: nothing is charged twice, nothing is forgotten
    state, whole = results[point]["state"], results[UNDISTURBED]["state"]
    assert without(state["usage"], "seconds") == without(whole["usage"], "seconds")
    assert state["usage"]["seconds"] > 0


@pytest.mark.parametrize("point", KILLED)
def test_the_trace_goes_on_without_gap_or_duplicate(results, point):
    # C7
    state, whole = results[point]["state"], results[UNDISTURBED]["state"]
    assert [event["seq"] for event in state["trace"]] == list(range(1, len(state["trace"]) + 1))
    assert events(state) == events(whole)
    assert types(state)["RUN_RESUMED"] == (point not in BEFORE_ITS_BEGIN)


@pytest.mark.parametrize("point", KILLED)
def test_no_finished_query_runs_twice(results, point):
    # C5.1: what was found but not recorded is the only thing that is queried again
    again = {f"found {number}": keyword for number, keyword in enumerate(ALL, start=1)}
    expected = Counter([*ALL, again[point]] if point in again else ALL)
    assert Counter(results[point]["executions"]) == expected


@pytest.mark.parametrize("point", KILLED)
def test_the_claim_of_the_dead_is_taken_over_and_traced(results, point):
    # C5.1, C7: only a query that somebody died in has a lease to wait for
    state = results[point]["state"]
    died_inside = point.startswith(("search", "found"))
    assert types(state)["TOOL_TAKEN_OVER"] == died_inside
    reused = [e["reused"] for e in state["trace"] if e["type"] == "TOOL_INVOCATION"]
    assert sum(reused) == point.startswith("leave tool")
    resumed = [event["type"] for event in state["trace"]]
    if died_inside:
        assert resumed.index("TOOL_TAKEN_OVER") == resumed.index("RUN_RESUMED") + 1
