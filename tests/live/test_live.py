"""The product against a real model: a line a question, and what no model may break.

Not part of any other run: `LIVE_MODEL=… LIVE_BASE_URL=… pytest -m live tests/live`. How well a
model diagnoses is printed, not asserted.
"""

import asyncio
from collections import Counter
from typing import Any

import pytest

from graph.evaluation.cases import Case
from graph.evaluation.runner import run_cases
from graph.evaluation.scoring import Run, score
from tests.live import endpoint

pytestmark = [pytest.mark.live, pytest.mark.allow_hosts(["127.0.0.1", "::1", endpoint.host()])]


async def run(case: Case) -> Run:
    chosen = endpoint.settings()
    models = endpoint.models(chosen)
    async for _, finished in run_cases([case], endpoint.data(), settings=chosen, models=models):
        return finished
    raise AssertionError("a case is run")


def line(case: Case, finished: Run) -> str:
    """Outcome, rounds, tokens (of them from a cache) and everything that had to be repaired."""
    state, events = finished.state, finished.state["trace"]
    kinds = Counter(event["type"] for event in events)
    cached = sum(event.get("cached_tokens", 0) for event in events)
    asked_again = sum(event.get("repair_prompt_delivered", False) for event in events)
    release, usage = state["release"], state["usage"]
    what = release["fallback"]["type"] if release["fallback"] else release["error_code"] or ""
    verdict = score(case, finished)
    told = [
        f"{case.id}: {release['outcome']} {what}".rstrip(),
        "as expected" if verdict.right else f"expected {verdict.expected}",
        f"{len(state['steps'])} rounds, {usage['tool_calls']} tool calls",
        f"{usage['total_tokens']} tokens"
        f" ({cached} cached, {usage['usage_unavailable']} unreported)",
        f"repairs: {asked_again} of requests, {kinds['EVIDENCE_REPAIR']} of citations,"
        f" {kinds['MODEL_RETRY']} retries",
        f"{finished.seconds:.1f} s",
    ]
    return "; ".join(told)


@pytest.mark.parametrize("case", endpoint.cases(), ids=lambda case: case.id)
def test_a_question_is_answered_within_the_contract(case: Case, capsys: Any) -> None:
    finished = asyncio.run(run(case))
    with capsys.disabled():
        print(line(case, finished), flush=True)  # noqa: T201 - the line is what this is run for
    state = finished.state
    error = state["release"]["error_code"]
    assert not str(error).startswith("MODEL_"), f"the endpoint does not answer: {error}"
    assert score(case, finished).false_citations == 0
    last = state["trace"][-1]
    assert last["type"] == "RUN_FINISHED"
    assert last["tokens_reconciled"] is (state["usage"]["usage_unavailable"] == 0)
