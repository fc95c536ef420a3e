"""Reading a case file: what is needed is checked, what is not is left alone."""

import json
from pathlib import Path

import pytest

from graph.evaluation.cases import CasesError, read_cases

LINE = {"id": "A1", "query": "Why?", "expected": {"outcome": "SUCCESS"}, "lang": "en"}


def test_reads_cases_in_order(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(f"{json.dumps(LINE)}\n\n{json.dumps({**LINE, 'id': 'A2'})}\n", encoding="utf-8")
    assert [case.id for case in read_cases(file)] == ["A1", "A2"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "holds no case"),
        ("{", "line 1"),
        (json.dumps({**LINE, "expected": {"outcome": "FINE"}}), "expected.outcome"),
        (json.dumps({"id": "A1", "query": "Why?"}), "expected"),
    ],
)
def test_says_where_a_case_file_is_wrong(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(CasesError, match=says):
        read_cases(file)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CasesError, match=r"none\.jsonl"):
        read_cases(tmp_path / "none.jsonl")
