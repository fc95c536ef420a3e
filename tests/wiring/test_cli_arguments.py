"""What the words of a command line mean, and what one line says when they mean nothing."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from graph.cli import app, with_command_first

COMMANDS = frozenset({"ask", "trace", "doctor", "evaluate"})


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def diagnose(*words: str, **environment: Any) -> Result:
    return CliRunner().invoke(app, list(words), env=environment)


@pytest.mark.parametrize(
    ("words", "means"),
    [
        (["why is it slow"], ["ask", "why is it slow"]),
        (["--json", "why"], ["ask", "--json", "why"]),
        (["--session", "trace", "why"], ["ask", "--session", "trace", "why"]),
        (["--session=s", "why"], ["ask", "--session=s", "why"]),
        (["why", "trace"], ["ask", "why", "trace"]),
        (["trace", "r1"], ["trace", "r1"]),
        (
            ["--data-dir", "d", "trace", "r1", "--json"],
            ["trace", "--data-dir", "d", "r1", "--json"],
        ),
        (["--no-color", "doctor"], ["doctor", "--no-color"]),
        (["--", "trace"], ["ask", "--", "trace"]),
        (["--json", "--", "doctor"], ["ask", "--json", "--", "doctor"]),
        (["ask", "trace"], ["ask", "trace"]),
        (["--resume", "--session", "s"], ["ask", "--resume", "--session", "s"]),
        (["--help"], ["--help"]),
        ([], []),
    ],
)
def test_an_unknown_first_word_begins_the_question(words: list[str], means: list[str]) -> None:
    assert with_command_first(words, COMMANDS) == means


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([""], "question: The question was empty."),
        (["ask"], "question: There was no new question."),
        (["x" * 16_385], "question: The question was too long."),
        (["为" * 5_462], "question: 问题太长"),
        (["--resume"], "--resume: takes no question and needs --session ID"),
        (["--resume", "--session", "s", "why"], "--resume: takes no question"),
        (["--resume", "--session", "s"], "--resume: session s has no unfinished run"),
        (["--session", " ", "why"], "--session: up to 128 printable characters"),
        (["--session", "a\nb", "why"], "--session: up to 128 printable characters"),
        (["--session", "s" * 129, "why"], "--session: up to 128 printable characters"),
        (["trace", "no-such-run"], "RUN_ID: no run no-such-run is recorded"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(words: list[str], line: str) -> None:
    done = diagnose(*words)
    assert done.exit_code == 2
    assert done.stdout == ""
    said = [text for text in done.stderr.splitlines() if text.startswith("error: ")]
    assert len(said) == 1
    assert said[0].startswith(f"error: {line}")


@pytest.mark.parametrize(
    ("name", "value", "key"),
    [
        (
            "HARNESS__CHAT__STOP_AFTER_CONSECUTIVE_NO_GAIN",
            "0",
            "harness.chat.stop_after_consecutive_no_gain",
        ),
        ("HARNESS__BUDGET__MAX_SECONDS", "soon", "harness.budget.max_seconds"),
        ("SOURCES__LOGS_TIME_ZONE", "Mars/Olympus", "sources.logs_time_zone"),
        ("SOURCES__DATABASE", "oracle://root:canary@db/x", "sources.database"),
        ("OPENAI_API_KEY", "sk-canary", "models.name"),
    ],
)
def test_wrong_configuration_is_one_line_that_names_its_key(
    name: str, value: str, key: str
) -> None:
    # C3.7: before anything is served
    done = diagnose("why did it fail?", **{name: value})
    assert (done.exit_code, done.stdout) == (2, "")
    assert [text for text in done.stderr.splitlines() if text] == [done.stderr.strip()]
    assert done.stderr.startswith(f"error: {key}: ")
    assert "canary" not in done.stderr


def test_a_broken_settings_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "diagnosis.toml").write_text("[harness", encoding="utf-8")
    done = diagnose("why did it fail?")
    assert done.exit_code == 2
    assert done.stderr.startswith("error: diagnosis.toml: ")


def test_a_data_folder_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = diagnose("--data-dir", str(tmp_path / "file"), "why did it fail?")
    assert done.exit_code == 2
    assert done.stderr.startswith("error: data_dir: ")


def test_a_broken_session_store_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    (folder / "sessions.sqlite").write_bytes(b"not a database at all" * 100)
    done = diagnose("--data-dir", str(folder), "why did it fail?")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "error: data_dir: its session store cannot be read" in done.stderr


def test_no_words_show_how_to_ask() -> None:
    done = diagnose()
    assert done.exit_code == 2
    assert "Diagnose an incident" in done.output
