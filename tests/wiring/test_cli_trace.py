"""A trace that is read by a person: a sentence an event, and each round's why (C7.4)."""

import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from typer.testing import CliRunner, Result

from graph.audit.events import EVENT_FIELDS, TraceEvent, make_event
from graph.cli import app
from graph.command.narration import sentence
from graph.command.wording import EN, ZH
from graph.contract.vocabulary import (
    CollectionState,
    InformationGain,
    Judge,
    Rejection,
    StopReason,
    Violation,
)
from prompts import Language
from tools import EvidenceStatus

FIELD_VALUES: dict[str, list[Any]] = {
    "intent": ["DIAGNOSIS", "OUT_OF_SCOPE"],
    "action": ["TOOL_CALLS", "DRAFT", "EMPTY"],
    "evidence_status": [*EvidenceStatus, None],
    "value": list(InformationGain),
    "by": list(Judge),
    "collection_state": list(CollectionState),
    "violation_type": [Violation.MISSING_INPUT, None],
    "stop_reason": [StopReason.INFORMATION_SATURATED, None],
    "reason": list(StopReason),
    "fallback_type": ["INSUFFICIENT_EVIDENCE", None],
    "codes": [[], ["QUOTE_NOT_FOUND"]],
}
FIELD_TYPES = get_type_hints(TraceEvent)


def values_of(kind: str, field: str) -> list[Any]:
    if field == "error_code":
        return list(Rejection) if kind == "TOOL_REQUEST_REJECTED" else ["SOME_CODE"]
    if (kind, field) == ("COLLECTION_STOPPED", "stop_reason"):
        return list(StopReason)
    if FIELD_TYPES[field] is bool:
        return [True, False]
    return FIELD_VALUES.get(field, ["some_id"] if FIELD_TYPES[field] is str else [7])


def every_event() -> Iterator[TraceEvent]:
    """Every type with every combination of what tells its kinds apart."""
    for kind, fields in EVENT_FIELDS.items():
        for chosen in itertools.product(*(values_of(kind, field) for field in fields)):
            yield make_event(
                kind, dict(zip(fields, chosen, strict=True)), seq=1, at="2026-01-01T00:00:00+00:00"
            )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_event_has_a_sentence(language: Language) -> None:
    for event in every_event():
        said = sentence(event, language)
        assert said != event["type"]
        assert "{" not in said


def test_both_languages_say_the_same_things() -> None:
    assert set(EN) == set(ZH)


def test_every_sentence_is_said_of_some_event() -> None:
    said = {sentence(event, "en") for event in every_event()}
    for key, template in EN.items():
        if not key.startswith(("note.", "live.")):
            beginning = template.partition("{")[0]
            assert any(line.startswith(beginning) for line in said), key


def test_a_reason_decides_between_two_sentences() -> None:
    """The sentences of one event type differ as soon as what happened differs."""
    supported = {"passed": True, "codes": []}
    assert sentence(made("EVIDENCE_GUARD_INITIAL", **supported), "en") != sentence(
        made("EVIDENCE_GUARD_INITIAL", passed=False, codes=["X"]), "en"
    )
    gain = {"tool_call_id": "c1", "consecutive_no_gain": 2, "by": "MODEL"}
    went_on = made("INFORMATION_GAIN", **gain, value="NO_GAIN", collection_state="COLLECTING")
    stopped = made("INFORMATION_GAIN", **gain, value="NO_GAIN", collection_state="SATURATED")
    assert sentence(stopped, "en") == sentence(went_on, "en") + ": collection stops"


def made(kind: str, **fields: Any) -> TraceEvent:
    return make_event(kind, fields, seq=1, at="2026-01-01T00:00:00+00:00")


def test_an_event_of_a_later_version_is_named(tmp_path: Path) -> None:
    assert sentence({"type": "SOMETHING_NEW", "seq": 1, "at": ""}, "en") == "SOMETHING_NEW"


@pytest.fixture
def diagnose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return lambda *words: CliRunner().invoke(app, list(words))


def test_a_saturated_run_shows_why_it_stopped(diagnose: Callable[..., Result]) -> None:
    # C7.4, on the shipped question that saturates
    question = "2026-03-12 08:00 到 08:30（UTC）report-worker 为什么被 Kubernetes 重启？"
    release = json.loads(diagnose("--json", question).stdout)
    assert release["stop_reason"] == "INFORMATION_SATURATED"
    shown = diagnose("trace", release["run_id"]).stdout
    head, _, *rows = shown.splitlines()
    assert head == f"run {release['run_id']}   session {release['session_id']}"
    events = json.loads(diagnose("trace", "--json", release["run_id"]).stdout)
    assert len(rows) == len(events)
    for row, event in zip(rows, events, strict=True):
        assert row.split()[0] == str(event["seq"])
        assert event["type"] in row
    assert sum("没有新信息" in row for row in rows) == 2
    assert "停止收集" in next(row for row in rows if "连续 2 次" in row)
    assert "INFORMATION_SATURATED" in rows[-1]
