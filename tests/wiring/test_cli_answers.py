"""What a person or a program gets on stdout, what goes to stderr, and the exit code."""

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from typer.testing import CliRunner, Result

import graph.app
from graph import Models
from graph.cli import app
from graph.incident import QUESTIONS
from release.released import Release
from tests.wiring.stepwise import QUESTION, GatedLogs, StepwiseModel, open_gate, stepwise_models
from tools import Evidence, ToolResult

NINE_EVENTS = [
    "RUN_STARTED",
    "ROUTING_ATTEMPT",
    "MODEL_TOKEN_USAGE",
    "ROUTING_DECISION",
    "MODEL_TOKEN_USAGE",
    "AGENT_MODEL_STEP",
    "EVIDENCE_GUARD_INITIAL",
    "RELEASE_DECISION",
    "RUN_FINISHED",
]
Diagnose = Callable[..., Result]


@pytest.fixture
def diagnose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Diagnose:
    """The command in this process, over a data folder and a working folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return lambda *words: CliRunner().invoke(app, list(words))


@pytest.fixture
def stepwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stepwise models and logs in place of the shipped ones."""
    play(monkeypatch, stepwise_models(), GatedLogs(open_gate))


def play(monkeypatch: pytest.MonkeyPatch, models: Models, logs: GatedLogs) -> None:
    monkeypatch.setattr(graph.app, "make_models", lambda settings, environ: models)
    monkeypatch.setattr(graph.app, "make_tools", lambda settings: [logs])


def test_the_original_question_without_context_asks_for_it(diagnose: Diagnose) -> None:
    # C7.1, C9: zero tools, nine events, and a later command still knows them
    done = diagnose("--json", "诊断切换企业失败的问题")
    assert done.exit_code == 0
    release = json.loads(done.stdout)
    assert release["fallback"]["type"] == "MISSING_REQUIRED_CONTEXT"
    trace = diagnose("trace", "--json", release["run_id"])
    assert [event["type"] for event in json.loads(trace.stdout)] == NINE_EVENTS


def test_json_is_the_release_and_nothing_else(diagnose: Diagnose, stepwise: None) -> None:
    done = diagnose("--json", "--session", "s", QUESTION)
    release = json.loads(done.stdout)
    assert set(release) == set(get_type_hints(Release))
    assert (done.exit_code, release["outcome"], release["session_id"]) == (0, "SUCCESS", "s")


def test_an_answer_in_a_pipe_is_plain_and_its_quotes_are_whole(
    diagnose: Diagnose, stepwise: None
) -> None:
    done = diagnose(QUESTION)
    assert "\x1b" not in done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[:3] == ["## Conclusion", "", "The connection pool is exhausted."]
    assert "Quoted from app.log:1 (c1 e1)" in lines
    assert "  | pool exhausted after" in lines


def test_progress_tells_what_is_checked_why_and_for_how_much(
    diagnose: Diagnose, stepwise: None
) -> None:
    # C7.4
    done = diagnose("--session", "s", QUESTION)
    said = [line.strip() for line in done.stderr.splitlines()]
    assert "round 1: the model asks query_logs" in said
    assert "the last result brought something new: goes on" in said
    assert "round 3: the model writes its draft" in said
    assert "semantic guard: the conclusion is supported" in said
    assert any(line.startswith("SUCCESS: 75 tokens, queries: 2") for line in said)
    assert said[-2] == "to go on:  diagnose --session s ..."
    assert said[-1].startswith("its trace: diagnose trace ")


def test_the_rules_model_says_what_it_is_in_one_line(diagnose: Diagnose) -> None:
    done = diagnose("帮我写一首关于春天的诗")
    notices = [line for line in done.stderr.splitlines() if "built-in rules model" in line]
    assert len(notices) == 1
    assert "rules model" not in done.stdout
    assert done.stdout.startswith("## 这不是故障诊断问题")


def test_a_failed_run_is_exit_code_1(diagnose: Diagnose, monkeypatch: pytest.MonkeyPatch) -> None:
    # C6: a technical fault; C6.4: its text is nowhere
    async def broken(place: str) -> None:
        if place == "agent 2":
            raise RuntimeError("canary: a provider's own words")

    play(monkeypatch, stepwise_models(broken), GatedLogs(open_gate))
    done = diagnose("--json", QUESTION)
    release = json.loads(done.stdout)
    assert (done.exit_code, release["outcome"]) == (1, "FAILED")
    assert len(release["observed_facts"]) == 1
    assert "canary" not in done.output


def test_a_fault_of_our_own_ends_without_its_text(
    diagnose: Diagnose, monkeypatch: pytest.MonkeyPatch
) -> None:
    # C6.4
    def broken(settings: Any) -> Any:
        raise RuntimeError("canary")

    monkeypatch.setattr(graph.app, "make_tools", broken)
    done = diagnose(QUESTION)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "error: internal fault RuntimeError" in done.stderr
    assert "canary" not in done.output


def test_evidence_cannot_act_on_a_terminal(
    diagnose: Diagnose, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = "\x1b[31mred\x1b]8;;http://evil\x07 [bold]x[/bold] [a](http://b) pool exhausted after"

    class HostileLogs(GatedLogs):
        async def search(self, request: Any) -> ToolResult:
            return ToolResult([Evidence(f"app\x1b[2J.log:{request.keyword}", hostile)])

    class Quoting(StepwiseModel):
        async def _agenerate(self, messages: list[Any], *args: Any, **more: Any) -> Any:
            result = await super()._agenerate(messages, *args, **more)
            message = result.generations[0].message
            if message.content.startswith("{"):
                draft = json.loads(message.content)
                draft["analysis"][0]["citations"][0]["quote"] = hostile
                message.content = json.dumps(draft)
            return result

    models = stepwise_models()
    quoting = Models(
        agent=Quoting(component="agent", gate=open_gate),
        router=models.router,
        semantic_guard=models.semantic_guard,
    )
    play(monkeypatch, quoting, HostileLogs(open_gate))
    monkeypatch.setenv("FORCE_COLOR", "1")
    done = diagnose("--no-color", QUESTION)
    assert done.exit_code == 0
    assert "\x1b" not in done.stdout
    assert "\x07" not in done.stdout
    assert "[bold]x[/bold] [a](http://b) pool exhausted" in done.stdout.replace("\n  | ", "")


def test_what_is_kept_is_its_owners_alone(
    diagnose: Diagnose, stepwise: None, tmp_path: Path
) -> None:
    diagnose(QUESTION)
    folder = tmp_path / "incident-diagnosis-agent"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for file in folder.rglob("*.sqlite*"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    assert {file.name for file in folder.glob("*.sqlite")} == {
        "invocations.sqlite",
        "sessions.sqlite",
    }


def test_evaluate_scores_a_case_file(diagnose: Diagnose) -> None:
    done = diagnose("evaluate", str(QUESTIONS), "--data", str(QUESTIONS.parent), "--json")
    assert done.exit_code == 0
    json.loads(done.stdout)
    assert diagnose("evaluate", "no-such-file", "--data", ".").exit_code == 2
