"""Ctrl-C and a hard kill of the real program: what is released, what stays, how it goes on."""

import json
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.wiring.command_process import PATIENCE_SECONDS, Command
from tests.wiring.stepwise import QUESTION

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Command]:
    started = Command(tmp_path)
    yield started
    started.end()


@pytest.mark.parametrize("place", ["router", "tool waits"])
def test_ctrl_c_releases_what_is_verified_and_keeps_the_session(
    command: Command, place: str
) -> None:
    # C6: CANCELLED with the verified facts so far; C7: the trace ends in RUN_FINISHED
    process = command.start("--json", "--session", "s", QUESTION, stepwise=True, HOLD_AT=place)
    command.wait_for(place, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 130, err.decode()
    assert "Traceback" not in err.decode()
    release = json.loads(out)
    assert release["outcome"] == "CANCELLED"
    assert len(release["observed_facts"]) == {"router": 0, "tool waits": 1}[place]
    code, trace, err_trace = command.run("trace", release["run_id"], "--json")
    assert code == 0, err_trace
    events = json.loads(trace)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert (events[-1]["type"], events[-1]["outcome"]) == ("RUN_FINISHED", "CANCELLED")
    code, out_again, err_again = command.run("--json", "--session", "s", QUESTION, stepwise=True)
    assert (code, json.loads(out_again)["outcome"]) == (0, "SUCCESS")
    assert "closed as CANCELLED" not in err_again


def test_a_second_ctrl_c_leaves_at_once(command: Command) -> None:
    # the first one cannot end the run here: another connection holds the sessions
    process = command.start(QUESTION, "--session", "s", stepwise=True, HOLD_AT="agent 1")
    command.wait_for("agent 1", process)
    with held_sessions(command.folder):
        process.send_signal(signal.SIGINT)
        while b"Ctrl-C" not in process.stderr.readline():  # type: ignore[union-attr]
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=PATIENCE_SECONDS) == 130
    process.communicate()


@contextmanager
def held_sessions(folder: Path) -> Iterator[None]:
    """A write lock on the sessions, so that nothing can be recorded meanwhile."""
    file = folder / "incident-diagnosis-agent" / "sessions.sqlite"
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


@pytest.mark.parametrize("place", ["agent 2", "guard"])
def test_a_killed_run_goes_on_where_it_broke_off(command: Command, place: str) -> None:
    # C1.2: the same run, the counters it had, and no query twice
    strict = {"LANGGRAPH_STRICT_MSGPACK": "true"}
    process = command.start(QUESTION, "--session", "s", stepwise=True, HOLD_AT=place, **strict)
    command.wait_for(place, process)
    process.kill()
    process.communicate()
    code, out, err = command.run("--json", "--resume", "--session", "s", stepwise=True, **strict)
    assert code == 0, err
    release = json.loads(out)
    assert release["outcome"] == "SUCCESS"
    passed = command.places()
    assert "msgpack" not in err
    assert [passed.count(f"tool {keyword}") for keyword in ("pool", "waits")] == [1, 1]
    assert passed.count(place) == 2
    _, trace, _ = command.run("trace", release["run_id"], "--json")
    kinds = [event["type"] for event in json.loads(trace)]
    assert kinds.count("RUN_STARTED") == kinds.count("RUN_RESUMED") == 1
    assert kinds.count("TOOL_INVOCATION") == 2
    assert kinds[-1] == "RUN_FINISHED"
    code, _, err = command.run("--resume", "--session", "s", stepwise=True)
    assert code == 2
    assert "no unfinished run" in err


@pytest.mark.parametrize("place", ["agent 2", "tool waits"])
def test_a_new_question_closes_a_killed_run_first(command: Command, place: str) -> None:
    # C1.6, C7: its trace ends, and accounts for the query that it was killed in
    process = command.start(QUESTION, "--session", "s", stepwise=True, HOLD_AT=place)
    command.wait_for(place, process)
    process.kill()
    process.communicate()
    code, out, err = command.run("--json", "--session", "s", QUESTION, stepwise=True)
    assert (code, json.loads(out)["outcome"]) == (0, "SUCCESS")
    closed = next(line for line in err.splitlines() if "closed as CANCELLED" in line)
    run_id = next(word for word in closed.split() if word.count("-") == 4)
    code, table, _ = command.run("trace", run_id)
    assert code == 0
    assert "RUN_FINISHED" in table.splitlines()[-1]
    assert "CANCELLED" in table.splitlines()[-1]
    _, trace, _ = command.run("trace", run_id, "--json")
    events = json.loads(trace)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    ran = [event["error_code"] for event in events if event["type"] == "TOOL_INVOCATION"]
    assert ran == {"agent 2": [None], "tool waits": [None, "TOOL_CANCELLED"]}[place]
    assert events[-1]["tool_invocations"] == len(ran)


def test_a_session_has_one_run_at_a_time(command: Command) -> None:
    # C0: a running run is not taken for one that was cut off
    process = command.start(QUESTION, "--session", "s", stepwise=True, HOLD_AT="agent 1")
    command.wait_for("agent 1", process)
    code, out, err = command.run(QUESTION, "--session", "s", stepwise=True)
    assert (code, out) == (2, "")
    assert "--session: s has a run in another process" in err
    process.kill()
    process.communicate()
