"""A model's faults are codes; transient ones are tried again, within the budget (C6, C7, C8)."""

import asyncio
from typing import Any

import pytest

from graph.nodes.model_call import MAX_ATTEMPTS
from tests.fakes.bench import Bench, play, trace_types
from tests.fakes.loose_model import HANG, STUBBORN
from tests.fakes.replies import PROVED, asks, call, draft
from tests.wiring.random_models import ProviderError
from tests.wiring.whole_runs import hold


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.nodes.model_call.RETRY_PAUSE_SECONDS", 0)


class ReadTimeout(Exception):
    """Named as libraries name it."""


class ConnectionLost(Exception):
    """Named as libraries name it."""


TRANSIENT = {
    "MODEL_TIMEOUT": [TimeoutError("secret"), ReadTimeout("secret"), ProviderError(408)],
    "MODEL_UNAVAILABLE": [
        ConnectionError("secret"),
        ConnectionLost("secret"),
        ProviderError(409),
        ProviderError(500),
        ProviderError(503),
    ],
    "MODEL_RATE_LIMITED": [ProviderError(429)],
}
FINAL = {
    "MODEL_ACCESS_DENIED": [ProviderError(401), ProviderError(403)],
    "MODEL_NOT_FOUND": [ProviderError(404)],
    "MODEL_REQUEST_REFUSED": [ProviderError(400), ProviderError(422)],
    "MODEL_FAILED": [
        RuntimeError("secret"),
        ProviderError("odd"),
        ProviderError(None),
        ExceptionGroup("secret", [ValueError("secret")]),
        asyncio.CancelledError("secret"),
    ],
}


def cases(table: dict[str, list[BaseException]]) -> list[tuple[str, BaseException]]:
    return [(code, error) for code, errors in table.items() for error in errors]


def finished(bench: Bench) -> dict[str, Any]:
    state = play(bench)
    hold(bench, state)
    assert "secret" not in repr(state)
    return state


@pytest.mark.parametrize(("code", "error"), cases(FINAL), ids=repr)
def test_a_fault_that_stays_ends_the_run_with_its_facts(code, error):
    # C6: FAILED, a stable code, the verified facts attached, no second call
    state = finished(Bench(agent=[asks(call("c1", "pool")), error]))
    release = state["release"]
    assert (release["outcome"], release["error_code"]) == ("FAILED", code)
    assert len(release["observed_facts"]) == 1
    assert state["usage"]["model_calls"] == 3
    assert state["usage"]["usage_unavailable"] == 1
    assert "MODEL_RETRY" not in trace_types(state)


@pytest.mark.parametrize(("code", "error"), cases(TRANSIENT), ids=repr)
def test_a_passing_fault_is_tried_again(code, error):
    # C7, C8: each attempt is a model call of its own
    state = finished(Bench(agent=[error, asks(call("c1", "pool")), error, error, PROVED]))
    assert state["release"]["outcome"] == "SUCCESS"
    retries = [event for event in state["trace"] if event["type"] == "MODEL_RETRY"]
    assert [(e["component"], e["attempt"], e["error_code"]) for e in retries] == [
        ("DIAGNOSIS_AGENT", 1, code),
        ("DIAGNOSIS_AGENT", 1, code),
        ("DIAGNOSIS_AGENT", 2, code),
    ]
    rounds = [e["component_round"] for e in state["trace"] if e.get("component_round")]
    assert rounds == [1, 1, 2, 3, 4, 5, 1]
    assert state["trace"][-1]["tokens_reconciled"] is False


@pytest.mark.parametrize(("code", "error"), cases(TRANSIENT), ids=repr)
def test_a_fault_that_never_passes_ends_the_run(code, error):
    # C6, C8
    state = finished(Bench(agent=[error] * 9))
    assert state["release"]["error_code"] == code
    assert state["usage"]["model_calls"] == 1 + MAX_ATTEMPTS
    assert trace_types(state).count("MODEL_RETRY") == MAX_ATTEMPTS - 1


def test_a_retry_is_never_beyond_the_budget():
    # C8: checked before spending; the fault itself is what ended the run
    harness = {"budget": {"max_model_calls": 3, "release_reserve_calls": 1}}
    state = finished(Bench(agent=[ProviderError(503)] * 9, harness=harness))
    assert state["usage"]["model_calls"] == 2
    assert state["release"]["error_code"] == "MODEL_UNAVAILABLE"
    assert "MODEL_RETRY" not in trace_types(state)


def test_a_router_that_fails_ends_the_run():
    # C6
    state = finished(Bench(router=[ProviderError(401)]))
    assert state["release"]["error_code"] == "MODEL_ACCESS_DENIED"
    assert state["usage"]["model_calls"] == 1
    assert "ROUTING_DECISION" not in trace_types(state)


@pytest.mark.parametrize("guard", [RuntimeError("secret"), ProviderError(400), HANG])
def test_a_guard_that_fails_supports_nothing(guard):
    # C6: insufficient evidence, no failure of the run
    harness = {"budget": {"max_seconds": 0.3}} if guard == HANG else {}
    state = finished(
        Bench(agent=[asks(call("c1", "pool")), PROVED], guard=[guard], harness=harness)
    )
    assert state["release"]["outcome"] == "FALLBACK"
    assert state["release"]["fallback"]["type"] == "INSUFFICIENT_EVIDENCE"


def test_a_repair_that_fails_counts_as_failed_citations():
    # C6
    false = draft("a cause", ("c1", "e1", "an invented quote"))
    bench = Bench(agent=[asks(call("c1", "pool")), false], repair=[RuntimeError("secret")])
    state = finished(bench)
    assert state["release"]["fallback"]["type"] == "INSUFFICIENT_EVIDENCE"
    assert bench.models["semantic_guard"].requests == []


@pytest.mark.parametrize("hanging", [HANG, STUBBORN])
def test_a_model_that_hangs_is_cut_off_by_the_runs_time(hanging):
    # C8: time is a budget, so the run is told to have reached it, whatever the model makes of that
    harness = {"budget": {"max_seconds": 0.2}}
    state = finished(Bench(agent=[asks(call("c1", "pool")), hanging], harness=harness))
    assert state["release"]["outcome"] == "FALLBACK"
    assert state["release"]["stop_reason"] == "BUDGET_LIMIT_REACHED"
    assert len(state["release"]["observed_facts"]) == 1


def test_a_cancelled_run_stays_cancelled():
    # C1.6: only a provider's own cancellation is its fault
    async def cancelled() -> None:
        entered = asyncio.Event()

        def hang(request: Any) -> str:
            entered.set()
            return HANG

        bench = Bench(agent=[hang])
        task = asyncio.create_task(bench.run())
        await entered.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await bench.store.aclose()

    asyncio.run(cancelled())
