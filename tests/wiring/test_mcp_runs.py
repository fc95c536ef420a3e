"""Whole runs on a plugged-in MCP server: in a graph, from the command line, on the dev server."""

import json
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client
from typer.testing import CliRunner

from graph.cli import app
from graph.sources import make_tools
from tests.fakes.bench import Bench, observations, play
from tests.fakes.replies import asks
from tests.sources.mcp_servers import left_over, over_stdio
from tests.wiring.dev_server import PROGRAM, ROOT, running
from tests.wiring.served_mcp import ASKS, PROVED, SECTION, settings
from tests.wiring.whole_runs import hold

QUESTION = "Why did the shop fail at 10:00 UTC?"


@pytest.fixture
def shop_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.setenv("SHOP_FOLDER", str(folder))
    return folder


def test_a_root_cause_rests_on_what_a_server_found(shop_folder: Path) -> None:
    # C5, C6.2: a source declared factual, through the same gate and boundary as our own
    again = {**ASKS, "id": "c2", "args": {"input": {"query": " pool ", "limit": 2}}}
    judged = {"tool_call_id": "c1", "information_gain": "GAINED"}
    again["args"]["previous_observation"] = judged
    bench = Bench(agent=[asks(ASKS), asks(again), PROVED], tools=make_tools(settings()))
    state = play(bench, QUESTION)
    hold(bench, state)
    assert state["release"]["outcome"] == "SUCCESS"
    first, second = observations(state)
    assert first["scope"] == {"query": "pool", "limit": 2, "level": None}
    # C3: defaults filled in, it is the same query
    assert (second["status"], second["error_code"]) == ("REJECTED", "DUPLICATE_SCOPE")
    assert left_over(shop_folder) == []


def test_a_failing_server_is_told_as_a_source_that_could_not_be_asked(shop_folder: Path) -> None:
    # C6.1, C4: a code, never the server's words
    wrong = {"id": "c1", "name": "shop_broken", "args": {"input": {}}}
    bench = Bench(agent=[asks(wrong)], tools=make_tools(settings(over_stdio("broken"))))
    state = play(bench, QUESTION)
    hold(bench, state)
    (observation,) = observations(state)
    assert (observation["status"], observation["error_code"]) == ("ERROR", "TOOL_FAILED")
    assert "canary" not in json.dumps(state, default=str)


def test_doctor_asks_every_server(
    tmp_path: Path, shop_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    servers = {
        "shop": SECTION,
        "down": {"transport": "http", "url": "http://127.0.0.1:9/mcp", "tools": ["t"]},
        "off": {"transport": "stdio", "command": "canary-x", "tools": ["t"], "enabled": False},
        "wrong": {**SECTION, "tools": ["restart"]},
    }
    environment = {
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "SOURCES__MCP": json.dumps(servers),
        "SOURCES__ENABLED": '["logs"]',
    }
    done = CliRunner().invoke(app, ["doctor"], env=environment)
    said = {line.split()[0]: line.split()[1] for line in done.stdout.splitlines() if line.strip()}
    assert said == {
        "model": "answers",
        "sessions": "answers",
        "records": "answers",
        "query_logs": "answers",
        "mcp.shop": "answers",
        "mcp.down": "WRONG_SETTING",
        "mcp.wrong": "WRONG_SETTING",
    }
    assert done.exit_code == 2
    assert "(shop_query_logs)" in done.stdout
    assert "sources.mcp.down: the server does not answer (TOOL_UNAVAILABLE)" in done.stdout
    assert "canary" not in done.output
    assert left_over(shop_folder) == []


def test_a_question_is_not_diagnosed_without_a_source_that_is_configured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    down = {"transport": "http", "url": "http://127.0.0.1:9/mcp", "tools": ["t"]}
    environment = {
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "SOURCES__MCP": json.dumps({"down": down}),
    }
    done = CliRunner().invoke(app, [QUESTION], env=environment)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error: sources.mcp.down: the server does not answer")
    off = {**environment, "SOURCES__MCP__DOWN__ENABLED": "false", "SOURCES__ENABLED": "[]"}
    assert CliRunner().invoke(app, [QUESTION], env=off).exit_code in (0, 1)


@pytest.mark.skipif(PROGRAM is None, reason="the langgraph command is not installed")
async def test_the_dev_server_calls_it_and_keeps_no_process(tmp_path: Path) -> None:
    served = {"diagnosis": "tests.wiring.served_mcp:make_graph"}
    config = {"dependencies": [str(ROOT)], "graphs": served}
    file = tmp_path / "langgraph.json"
    file.write_text(json.dumps(config), encoding="utf-8")
    with running(tmp_path, file) as server:
        async with get_client(url=server.url) as client:
            given: Any = {"messages": [{"role": "user", "content": QUESTION}]}
            state: Any = await client.runs.wait(None, "diagnosis", input=given)
        assert state["release"]["outcome"] == "SUCCESS", server.said()
        folder = tmp_path / "data"
        assert [file.name for file in folder.glob("server-*")] != []
        assert [name for name in left_over(folder) if name.startswith("server-")] == []
        assert "Blocking" not in server.said()
