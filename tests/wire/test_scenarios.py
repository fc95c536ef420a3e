"""Every dialect and fault of the wire, through the real client: data in, exact outcome out."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.wire.provider import Provider
from tests.wire.runs import Played, measured, play
from tests.wiring import whole_runs

CASES = Path(__file__).parent / "cases"
WIRES = ("sse", "json")
NOTHING: dict[str, Any] = {
    "counters": [0, 0],
    "retries": [],
    "rejected": [],
    "runs": [],
    "pauses": [],
    "cached": 0,
    "actions": "",
}
"""What a scenario that does not name it must not have."""


def scenarios() -> list[Any]:
    """Each scenario on each wire that it is written for."""
    files = [yaml.safe_load(file.read_text(encoding="utf-8")) for file in CASES.glob("*.yaml")]
    named = sorted((name, case) for cases in files for name, case in cases.items())
    return [
        pytest.param(case, wire, id=f"{name}-{wire}")
        for name, case in named
        for wire in case.get("wires", WIRES)
    ]


@pytest.mark.parametrize(("scenario", "wire"), scenarios())
async def test_a_scenario_ends_exactly_as_written(
    scenario: dict[str, Any], wire: str, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr("graph.nodes.model_call.pause", pause)
    played = await play(provider, scenario, wire=wire)
    played.pauses = pauses
    expected = {**NOTHING, **scenario["expect"], **scenario.get(f"expect_{wire}", {})}
    assert measured(played) == expected
    keeps_the_rules(played, wire)


def keeps_the_rules(played: Played, wire: str) -> None:
    """What holds on every wire, whatever the provider did."""
    state = played.state
    assert played.conversation.violations == []
    assert played.conversation.unused() == {}
    streamed = {bool(request.get("stream")) for request in played.conversation.requests}
    assert streamed == {wire == "sse"}
    assert "secret" not in repr((state, played.events))  # C7
    whole_runs.released_once(state)
    whole_runs.every_call_answered_once(state["dialogue"])
    whole_runs.trace_without_gaps(state)
    whole_runs.stop_at_most_once(state)
    whole_runs.counts_agree(state)
    whole_runs.within_limits(state)
    whole_runs.public_events_in_order(played.events, state)
    usage, finished = state["usage"], state["trace"][-1]
    audited = [event for event in state["trace"] if event["type"] == "MODEL_TOKEN_USAGE"]
    assert usage["model_calls"] == len(audited)  # C7.2: each call once
    assert usage["total_tokens"] == finished["total_tokens"]
    assert finished["tokens_reconciled"] is (finished["usage_unavailable"] == 0)  # C7.3
