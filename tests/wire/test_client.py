"""A client as a team makes it: its own defaults would retry unseen and stream without usage."""

import httpx
import pytest
from langchain_openai import ChatOpenAI

from graph.wire_client import accountable
from tests.fakes.loose_model import LooseModel
from tests.wire.provider import Provider
from tests.wire.runs import chat_models, measured, play


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.nodes.model_call.RETRY_PAUSE_SECONDS", 0)


async def test_a_clients_own_retries_are_switched_off(provider: Provider) -> None:
    # C7, C8: each attempt is a call of the run's, in the trace
    scenario = {
        "client": {"max_retries": 5},
        "agent": [{"status": 503}, {"status": 500}, {"draft": "missing"}],
    }
    found = measured(await play(provider, scenario, wire="sse"))
    assert found["retries"] == [
        "DIAGNOSIS_AGENT 1 MODEL_UNAVAILABLE",
        "DIAGNOSIS_AGENT 2 MODEL_UNAVAILABLE",
    ]
    assert found["tokens"]["DIAGNOSIS_AGENT"] == [None, None, [10, 5]]


async def test_usage_is_asked_for_where_nobody_said_otherwise(provider: Provider) -> None:
    # C7.3: with another base URL the client's default is to leave it out
    scenario = {"client": {"stream_usage": None}, "agent": [{"draft": "missing"}]}
    played = await play(provider, scenario, wire="sse")
    assert measured(played)["total"] == [30, 0]


async def test_what_its_maker_said_is_kept() -> None:
    async with httpx.AsyncClient() as http:
        agent = chat_models("http://127.0.0.1:9/v1", http, stream_usage=False).agent
    assert accountable(agent) is agent


async def test_the_makers_own_object_is_not_changed() -> None:
    async with httpx.AsyncClient() as http:
        given = chat_models("http://127.0.0.1:9/v1", http, stream_usage=None, max_retries=4).agent
    made = accountable(given)
    assert isinstance(given, ChatOpenAI)
    assert isinstance(made, ChatOpenAI)
    assert (given.root_async_client.max_retries, given.stream_usage) == (4, None)
    assert (made.root_async_client.max_retries, made.stream_usage) == (0, True)


def test_another_make_of_client_is_left_alone() -> None:
    model = LooseModel(moves=[], last="")
    assert accountable(model) is model
