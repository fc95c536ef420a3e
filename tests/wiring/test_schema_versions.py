"""A thread begun by another version goes on or is refused by name, and is left as it was (C1.5)."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

import graph.compiled
from graph.compiled import OtherSchema
from graph.sessions import find_run, run_config, unfinished_run
from graph.state import SCHEMA_VERSION
from tests.wiring.command_process import Command
from tests.wiring.stepwise import QUESTION, open_gate
from tests.wiring.stepwise_sessions import opened, watch
from tests.wiring.stored_sessions import restore, versions

OTHERS = [version for version in versions() if version != SCHEMA_VERSION]


def checkpoints(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "sessions.sqlite")) as sessions:
        return int(sessions.execute("SELECT count(*) FROM checkpoints").fetchone()[0])


async def refused_everywhere(folder: Path) -> None:
    """Asking, resuming, looking at a run: nothing is guessed and nothing is written."""
    before = checkpoints(folder)
    async with opened(folder) as compiled:
        for attempt in (
            lambda: watch(compiled, "And at 10:06?", run_config("finished")),
            lambda: watch(compiled, "And at 10:06?", run_config("cut-off")),
            lambda: watch(compiled, None, run_config("cut-off")),
            lambda: unfinished_run(compiled, "cut-off"),
            lambda: find_run(compiled, "run-finished"),
        ):
            with pytest.raises(OtherSchema, match="SESSION_OTHER_SCHEMA"):
                await attempt()
        await watch(compiled, QUESTION, run_config("a new one"))
    assert OtherSchema.code == "SESSION_OTHER_SCHEMA"
    async with opened(folder) as compiled:
        new = [one async for one in compiled.aget_state_history(run_config("a new one"))]
    assert checkpoints(folder) - len(new) == before


def test_this_version_and_one_before_are_kept() -> None:
    assert SCHEMA_VERSION in versions(), "python -m tests.wiring.stored_sessions"
    assert OTHERS


@pytest.mark.parametrize("version", OTHERS)
async def test_a_thread_of_another_version_is_refused(tmp_path: Path, version: int) -> None:
    restore(version, tmp_path)
    await refused_everywhere(tmp_path)


async def test_a_later_version_refuses_the_threads_of_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    restore(SCHEMA_VERSION, tmp_path)
    for module in (graph.compiled, graph.build):
        monkeypatch.setattr(module, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
    await refused_everywhere(tmp_path)


async def test_a_finished_thread_of_this_version_goes_on(tmp_path: Path) -> None:
    restore(SCHEMA_VERSION, tmp_path)
    async with opened(tmp_path) as compiled:
        run = await find_run(compiled, "run-finished")
        assert run is not None
        assert run.trace[-1]["outcome"] == "SUCCESS"
        await watch(compiled, "And at 10:06?", run_config("finished"))
        state = (await compiled.aget_state(run_config("finished"))).values
    assert state["release"]["outcome"] == "SUCCESS"
    assert len(state["messages"]) == 4


async def test_an_unfinished_run_of_this_version_goes_on(tmp_path: Path) -> None:
    # C1.2, C5.1: its record is read again, its query is not made again
    restore(SCHEMA_VERSION, tmp_path)
    passed: list[str] = []

    async def gate(place: str) -> None:
        passed.append(place)
        await open_gate(place)

    async with opened(tmp_path, gate) as compiled:
        config = await unfinished_run(compiled, "cut-off")
        assert config == run_config("cut-off", "run-cut-off")
        await watch(compiled, None, config)
        state = (await compiled.aget_state(config)).values
    assert passed == ["agent 2", "tool waits", "agent 3", "guard"]
    assert state["release"]["outcome"] == "SUCCESS"
    assert [event["seq"] for event in state["trace"]] == list(range(1, len(state["trace"]) + 1))
    assert state["run"]["schema_version"] == SCHEMA_VERSION


@pytest.mark.parametrize("session", ["finished", "none yet"])
async def test_a_thread_that_was_edited_by_hand_is_not_taken_for_another_versions(
    tmp_path: Path, session: str
) -> None:
    restore(SCHEMA_VERSION, tmp_path)
    config: Any = {"configurable": {"thread_id": session}}
    async with opened(tmp_path) as compiled:
        edit = {"messages": [HumanMessage("by hand", id="edited")]}
        await compiled.aupdate_state(config, edit, as_node="release")
        await watch(compiled, QUESTION, run_config(session))
        state = (await compiled.aget_state(config)).values
    assert state["release"]["outcome"] == "SUCCESS"


def test_the_command_line_says_which_session_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "incident-diagnosis-agent"
    folder.mkdir(mode=0o700)
    restore(OTHERS[0], folder)
    command = Command(tmp_path)
    for words in ((QUESTION, "--session", "finished"), ("--resume", "--session", "cut-off")):
        code, out, err = command.run(*words, stepwise=True)
        assert (code, out) == (2, "")
        assert "SESSION_OTHER_SCHEMA" in err
