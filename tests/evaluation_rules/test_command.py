"""The command: a table or JSON on stdout, 0 when it ran, 2 with one line when it could not."""

import json
from pathlib import Path

import pytest

from graph.evaluation.command import EXIT_RAN, EXIT_UNUSABLE, main
from graph.incident import FOLDER, QUESTIONS


@pytest.fixture
def one_case(tmp_path: Path) -> Path:
    file = tmp_path / "cases.jsonl"
    file.write_text(QUESTIONS.read_text(encoding="utf-8").splitlines()[0], encoding="utf-8")
    return file


def test_prints_json(one_case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(one_case), "--data", str(FOLDER), "--json"]) == EXIT_RAN
    printed = json.loads(capsys.readouterr().out)
    assert printed["totals"]["all_right"] == "1/1"
    assert printed["cases"][0]["id"] == "S01"


def test_prints_a_table(one_case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(one_case), "--data", str(FOLDER)]) == EXIT_RAN
    printed = capsys.readouterr().out
    assert "S01" in printed
    assert "all right: 1/1" in printed


def test_a_case_that_goes_wrong_is_still_a_run(
    one_case: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = one_case.read_text(encoding="utf-8")
    one_case.write_text(text.replace("MISSING_REQUIRED_CONTEXT", "OUT_OF_SCOPE"), encoding="utf-8")
    assert main([str(one_case), "--data", str(FOLDER)]) == EXIT_RAN
    assert "all right: 0/1" in capsys.readouterr().out


@pytest.mark.parametrize("missing", ["cases", "data"])
def test_unusable_files(
    one_case: Path, tmp_path: Path, missing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = tmp_path / "none.jsonl" if missing == "cases" else one_case
    data = tmp_path / "empty" if missing == "data" else FOLDER
    assert main([str(cases), "--data", str(data)]) == EXIT_UNUSABLE
    error = capsys.readouterr().err
    assert str(cases if missing == "cases" else data) in error
    assert len(error.splitlines()) == 1
