"""An alert as the graph's input, and as an option of the command line."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from typer.testing import CliRunner, Result

from graph.cli import app
from graph.command.alert import MAX_ALERT_BYTES
from graph.nodes.begin import MAX_QUESTION_BYTES
from tests.fakes.alerts import alert, alertmanager, grafana
from tests.fakes.bench import QUESTION, Bench
from tests.fakes.replies import MISSING_CONTEXT
from tests.wiring.whole_runs import hold
from tools.masking import Masker

PAYLOAD = alertmanager()
SCOPE = "service: billing-portal"
Diagnose = Callable[..., Result]


def played(bench: Bench, *inputs: Any) -> list[dict[str, Any]]:
    """The state after each input on one thread."""

    async def whole() -> list[dict[str, Any]]:
        try:
            return [await bench.run_input(given) for given in inputs]
        finally:
            await bench.store.aclose()

    return asyncio.run(whole())


def user(text: str) -> dict[str, Any]:
    return {"messages": [("user", text)]}


def asked_about(state: dict[str, Any]) -> list[str]:
    return [message.text for message in state["messages"] if isinstance(message, HumanMessage)]


@pytest.mark.parametrize("payload", [PAYLOAD, grafana()])
@pytest.mark.parametrize(
    ("given", "begins"),
    [
        ({}, "What is the root cause of this alert?\n\n"),
        ({"messages": []}, "What is the root cause of this alert?\n\n"),
        (user("Why does billing fail?"), "Why does billing fail?\n\n"),
    ],
)
def test_an_alert_becomes_part_of_the_question(
    payload: dict[str, Any], given: dict[str, Any], begins: str
) -> None:
    # C1.3: the session shows what was asked, once, and what was released
    bench = Bench(agent=[MISSING_CONTEXT])
    (state,) = played(bench, {**given, "alert": payload})
    hold(bench, state)
    question, answer = state["messages"]
    assert question.text.startswith(begins)
    assert SCOPE in question.text.splitlines()
    assert isinstance(answer, AIMessage)
    (shown,) = [m for m in bench.requests[0] if isinstance(m, HumanMessage)]
    assert shown.text.startswith(f"{question.text}\n\n[asked at ")


def test_a_secret_in_it_has_the_mark_that_the_run_gives_it_everywhere() -> None:
    # C1.3: masked before the session shows it
    bench = Bench(agent=[MISSING_CONTEXT])
    told = alert(annotations={"summary": "login as ops with password=hunter2hunter2 fails"})
    (state,) = played(bench, {"alert": alertmanager(told)})
    (question,) = asked_about(state)
    mark = Masker(state["run"]["run_key"]).text("password=hunter2hunter2")
    assert f"summary: login as ops with {mark} fails" in question.splitlines()


def test_no_later_question_meets_it() -> None:
    # C1.3: two runs share nothing but the public messages
    bench = Bench(agent=[MISSING_CONTEXT, MISSING_CONTEXT, MISSING_CONTEXT])
    first, second, third = played(
        bench, {"alert": PAYLOAD}, user(QUESTION), {"alert": grafana(alert(labels={"pod": "b-9"}))}
    )
    assert asked_about(second) == [*asked_about(first), QUESTION]
    assert "pod: b-9" in asked_about(third)[2].splitlines()
    assert "alert" not in second


def cut_off(bench: Bench, given: Any, then: Any, **where: Any) -> dict[str, Any]:
    """The state after `then`, on a thread whose run of `given` stopped there."""

    async def whole() -> dict[str, Any]:
        thread: Any = {"configurable": {"thread_id": "thread-1"}}
        await bench.graph.ainvoke(given, thread, **where)
        assert (await bench.graph.aget_state(thread)).next != ()
        state = await bench.run_input(then)
        await bench.store.aclose()
        return state

    return asyncio.run(whole())


def test_a_run_that_was_cut_off_before_it_began_keeps_it() -> None:
    bench = Bench(agent=[MISSING_CONTEXT])
    state = cut_off(bench, {"alert": PAYLOAD}, None, interrupt_before=["begin"])
    assert SCOPE in asked_about(state)[0].splitlines()
    assert state["release"]["fallback"]["type"] == "MISSING_REQUIRED_CONTEXT"


def test_an_alert_after_a_run_that_was_cut_off_asks_for_itself() -> None:
    # C1.6: the question of the run that is closed stays that run's
    bench = Bench(agent=[MISSING_CONTEXT])
    state = cut_off(bench, user(QUESTION), {"alert": PAYLOAD}, interrupt_after=["route"])
    assert [message.type for message in state["messages"]] == ["human", "ai", "human", "ai"]
    before, asked = asked_about(state)
    assert before == QUESTION
    assert asked.startswith("What is the root cause of this alert?")
    assert state["run"]["closed_run"]["release"]["outcome"] == "CANCELLED"


@pytest.mark.parametrize(
    ("payload", "code", "field"),
    [
        ({"canary": 1}, "ALERT_VERSION_UNSUPPORTED", "version"),
        ([PAYLOAD], "ALERT_INVALID", ""),
        ({**PAYLOAD, "alerts": []}, "ALERT_ALERTS_INVALID", "alerts"),
        (alertmanager(alert(startsAt="canary")), "ALERT_STARTS_AT_INVALID", "startsAt"),
    ],
)
def test_what_is_no_alert_is_refused_by_its_field(payload: Any, code: str, field: str) -> None:
    # C1.5: a refusal, no crash, and no model is asked
    bench = Bench()
    (state,) = played(bench, {**user(QUESTION), "alert": payload})
    assert (state["release"]["outcome"], state["release"]["error_code"]) == ("FAILED", code)
    assert field in state["messages"][-1].text
    assert asked_about(state) == [QUESTION]
    assert [model.requests for model in bench.models.values()] == [[], [], [], []]
    assert "canary" not in json.dumps([state["release"], state["trace"]])


def test_words_and_alert_together_keep_the_limit() -> None:
    # C1.5
    bench = Bench()
    (state,) = played(bench, {**user("x" * MAX_QUESTION_BYTES), "alert": PAYLOAD})
    assert state["release"]["error_code"] == "QUESTION_TOO_LONG"


def test_the_default_question_speaks_the_language_of_the_settings() -> None:
    bench = Bench(agent=[MISSING_CONTEXT], settings={"prompts": {"language": "zh"}})
    (state,) = played(bench, {"alert": PAYLOAD})
    assert asked_about(state)[0].startswith("诊断这个告警的根因。")
    assert state["run"]["language"] == "zh"


@pytest.fixture
def diagnose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Diagnose:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return lambda *words, **more: CliRunner().invoke(app, list(words), **more)


def test_an_alert_about_the_shipped_incident_leads_to_its_cause(
    diagnose: Diagnose, tmp_path: Path
) -> None:
    (tmp_path / "alert.json").write_text(json.dumps(PAYLOAD), encoding="utf-8")
    done = diagnose("--json", "--alert", "alert.json")
    release = json.loads(done.stdout)
    assert done.exit_code == 0
    if release["outcome"] == "SUCCESS":
        assert "time-gateway" in release["conclusion"]
    else:
        assert release["fallback"]["type"] == "INSUFFICIENT_EVIDENCE"
    # whatever it proved, it looked where and when the alert said
    assert "billing-portal" in release["observed_facts"][0]
    assert "2026-03-11 06:" in release["observed_facts"][0]


def test_an_alert_comes_from_standard_input_beside_words(diagnose: Diagnose) -> None:
    done = diagnose("--alert", "-", "--json", "诊断账单页面", input=json.dumps(grafana()))
    assert done.exit_code == 0
    release = json.loads(done.stdout)
    assert "billing-portal" in json.dumps(release["observed_facts"], ensure_ascii=False)


@pytest.mark.parametrize(
    ("given", "words", "line"),
    [
        ("canary{", (), "--alert: not JSON; give the webhook's body as it came"),
        ("\udcff", (), "--alert: not JSON"),
        ("[" * 100_000, (), "--alert: not JSON"),
        ("[]", (), "--alert: it is missing or not as the webhooks of Alertmanager (version 4)"),
        ('{"version": "4"}', (), "--alert: field status is missing"),
        (
            json.dumps(alertmanager(alert(startsAt="canary"))),
            (),
            "--alert: field alerts.0.startsAt is missing or not as the webhooks of",
        ),
        (" " * (MAX_ALERT_BYTES + 1), (), "--alert: longer than 1 MiB"),
        (json.dumps(PAYLOAD), ("x" * MAX_QUESTION_BYTES,), "question: The question was too long."),
        (json.dumps(PAYLOAD), ("--resume", "--session", "s"), "--resume: takes no question"),
    ],
)
def test_what_cannot_be_asked_is_one_line_and_exit_code_2(
    diagnose: Diagnose, given: str, words: tuple[str, ...], line: str
) -> None:
    done = diagnose("--alert", "-", *words, input=given.encode("utf-8", "surrogateescape"))
    assert (done.exit_code, done.stdout) == (2, "")
    (told,) = [text for text in done.stderr.splitlines() if text.startswith("error: ")]
    assert told.startswith(f"error: {line}")
    assert "canary" not in done.output


@pytest.mark.parametrize("place", ["no-such-file.json", "."])
def test_a_file_that_cannot_be_read_is_named_as_such(diagnose: Diagnose, place: str) -> None:
    done = diagnose("--alert", place)
    assert done.exit_code == 2
    assert done.stderr.startswith("error: --alert: the file cannot be read")
