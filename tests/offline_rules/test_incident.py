"""The shipped questions through the compiled graph, on the rules model and the shipped incident."""

from pathlib import Path
from typing import Any

import pytest

from graph.evaluation.cases import Case, read_cases
from graph.evaluation.perturb import perturb
from graph.evaluation.runner import evaluate, run_cases
from graph.evaluation.scoring import Run
from graph.incident import FOLDER, QUESTIONS, build_database

CASES = {case.id: case for case in read_cases(QUESTIONS)}
MISSING_CONTEXT_TRACE = (
    "RUN_STARTED ROUTING_ATTEMPT MODEL_TOKEN_USAGE ROUTING_DECISION MODEL_TOKEN_USAGE"
    " AGENT_MODEL_STEP EVIDENCE_GUARD_INITIAL RELEASE_DECISION RUN_FINISHED"
)


async def ran(case: Case) -> Run:
    (run,) = [run async for _, run in run_cases([case], FOLDER)]
    return run


def judged_by_model(run: Run) -> list[Any]:
    events = [event for event in run.state["trace"] if event["type"] == "INFORMATION_GAIN"]
    return [event["value"] for event in events if event["by"] == "MODEL"]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
async def test_every_shipped_question_ends_as_it_should(case: Case) -> None:
    (score,) = [score async for score in evaluate([case], FOLDER)]
    assert score.right, score
    assert not score.missing_citations
    assert score.tokens_reconciled


async def test_without_context_nothing_is_queried() -> None:  # C7.1
    run = await ran(CASES["S01"])
    assert " ".join(event["type"] for event in run.state["trace"]) == MISSING_CONTEXT_TRACE
    assert run.records == []


async def test_one_question_gains_for_five_rounds() -> None:  # C3.8
    assert judged_by_model(await ran(CASES["S03"])) == ["GAINED"] * 5


async def test_one_question_saturates_on_the_models_own_judgement() -> None:  # C3
    run = await ran(CASES["S04"])
    assert judged_by_model(run) == ["NO_GAIN"] * 2
    assert run.state["release"]["stop_reason"] == "INFORMATION_SATURATED"


@pytest.mark.parametrize("seed", [1, 2])
async def test_nothing_rests_on_names_ids_or_dates(tmp_path: Path, seed: int) -> None:
    perturb(QUESTIONS, FOLDER, tmp_path / "other", seed)
    cases = read_cases(tmp_path / "other" / "cases.jsonl")
    scores = [score async for score in evaluate(cases, tmp_path / "other")]
    assert [score.id for score in scores if not score.right] == []


def test_the_database_is_built_whole_and_anew(tmp_path: Path) -> None:
    target = tmp_path / "new" / "incident.sqlite"
    first = build_database(target).read_bytes()
    assert build_database(target).read_bytes() == first
    assert [file.name for file in target.parent.iterdir()] == [target.name]
