"""Work that hangs in a thread: the run ends in time, and so does the process that asked (C8)."""

import asyncio
import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from graph.free_loop import run_free, threads_are_left
from tests.wiring.command_process import PATIENCE_SECONDS, ROOT, Command

QUESTION = "Why did switching the company fail at 10:05 UTC?"

SCRIPT = """
import asyncio, threading, sys
from graph import Settings, build_graph, diagnose
from tests.wiring.stepwise import GatedLogs, stepwise_models
from tools import SqliteInvocationStore

async def gate(place):
    if place == sys.argv[1]:
        await asyncio.to_thread(threading.Event().wait)

graph = build_graph(
    models=stepwise_models(gate),
    tools=[GatedLogs(gate)],
    invocations=SqliteInvocationStore(":memory:"),
    settings=Settings(harness={"budget": {"tool_timeout_seconds": 0.3, "max_seconds": 3}}),
)
release = diagnose(graph, "Why did switching the company fail?")["release"]
print(release["outcome"], release["error_code"], flush=True)
"""


@pytest.mark.parametrize(
    ("place", "ends"),
    [("tool waits", "SUCCESS None"), ("agent 2", "FALLBACK None")],
)
def test_a_script_ends_though_its_tool_or_model_hangs_in_a_thread(place: str, ends: str) -> None:
    # C8: the thread never ends, the process does
    program = [sys.executable, "-c", SCRIPT, place]
    ended = subprocess.run(
        program, cwd=ROOT, capture_output=True, timeout=PATIENCE_SECONDS, check=False
    )
    assert ended.returncode == 0, ended.stderr.decode()
    assert (ended.stdout.decode().strip(), ended.stderr) == (ends, b"")


def test_the_command_ends_though_its_tool_hangs_in_a_thread(tmp_path: Path) -> None:
    # C8, C7: reported as what it is, and what the thread still brings is nobody's
    command = Command(tmp_path)
    hasty = {"HARNESS__BUDGET__TOOL_TIMEOUT_SECONDS": "0.3"}
    code, out, err = command.run("--json", QUESTION, stepwise=True, HOLD_AT="tool waits", **hasty)
    assert (code, json.loads(out)["outcome"]) == (0, "SUCCESS"), err
    assert "Traceback" not in err
    code, out, _ = command.run("trace", json.loads(out)["run_id"], "--json")
    events = [event for event in json.loads(out) if event["type"] == "TOOL_INVOCATION"]
    assert [event["error_code"] for event in events] == [None, "TOOL_TIMEOUT"]


def test_what_ends_in_time_is_waited_for_and_its_error_raised() -> None:
    gate = threading.Event()
    done: list[str] = []

    def late() -> None:
        gate.wait(PATIENCE_SECONDS)
        done.append("late")

    def wrong() -> None:
        raise ValueError("wrong")

    async def work() -> str:
        asyncio.get_running_loop().run_in_executor(None, late)
        with pytest.raises(ValueError, match="wrong"):
            await asyncio.to_thread(wrong)
        gate.set()
        return await asyncio.to_thread(lambda: "answer")

    assert run_free(work()) == "answer"
    assert done == ["late"]
    assert not threads_are_left()
