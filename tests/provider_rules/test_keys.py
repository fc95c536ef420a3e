"""A provider's key is nowhere but in the request's own header."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.load import dumps
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from typer.testing import CliRunner

from graph import Settings, SettingsError, build_graph
from graph.cli import app
from graph.provider import make_models
from graph.providers.choice import chosen_model
from tests.fakes.sources import KeywordSource
from tests.fakes.tiny_provider import TinyProvider, serving
from tools.invocations.sqlite import SqliteInvocationStore

KEY = "sk-canary-0123456789"
DRAFT = '{"conclusion": null, "limitations": {"missing_info": ["the time"]}}'


def configured(url: str = "http://127.0.0.1:9/v1", **more: Any) -> Settings:
    models = {"name": "m", "base_url": url, "api_key_env": "TEAM_KEY", **more}
    return Settings(models=models)


async def run_kept(provider: TinyProvider, folder: Path) -> dict[str, Any]:
    """One run with sessions and records on disk: its state and every event of its stream."""
    settings = configured(provider.url)
    store = SqliteInvocationStore(str(folder / "records.sqlite"))
    async with AsyncSqliteSaver.from_conn_string(str(folder / "sessions.sqlite")) as saver:
        graph = build_graph(
            models=make_models(settings.models, {"TEAM_KEY": KEY}),
            tools=[KeywordSource()],
            invocations=store,
            settings=settings,
            checkpointer=saver,
        )
        thread = {"configurable": {"thread_id": "t"}}
        asked = {"messages": [("user", "Why?")]}
        stream = graph.astream(asked, thread, stream_mode=["custom", "updates", "debug"])
        events = [event async for event in stream]
        state = (await graph.aget_state(thread)).values
    await store.aclose()
    return {**state, "events": events}


@pytest.mark.parametrize("status", [200, 400, 401])
def test_no_key_in_trace_stream_state_checkpoint_or_record(status: int, tmp_path: Path) -> None:
    # C6.4, C7: also where the provider echoes it in an error
    with serving(TinyProvider(DRAFT, status=status)) as provider:
        state = asyncio.run(run_kept(provider, tmp_path))
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert provider.keys[0] == f"Bearer {KEY}"
    assert KEY not in repr(state)
    assert KEY.encode() not in kept
    assert state["release"]["outcome"] == ("FALLBACK" if status == 200 else "FAILED")


def test_no_key_in_any_repr_or_dump() -> None:
    settings = configured(extra_body={"gateway_token": KEY})
    environ = {"TEAM_KEY": KEY}
    models = make_models(settings.models, environ)
    choice = chosen_model(settings.models, "agent", environ)
    graph = build_graph(models=models, tools=[], invocations=SqliteInvocationStore(":memory:"))
    for text in (repr(settings), repr(choice), str(choice), repr(graph)):
        assert KEY not in text
    plain = make_models(configured().models, environ)
    assert KEY not in repr(plain)
    assert KEY not in json.dumps(plain.agent.lc_attributes, default=str)
    assert KEY not in str(plain.agent._get_ls_params())
    assert KEY not in str(plain.agent._identifying_params)


def test_no_password_of_an_address_or_token_of_a_body_in_what_tracers_keep() -> None:
    environ = {"OPENAI_MODEL": "m", "OPENAI_BASE_URL": f"http://user:{KEY}@127.0.0.1:9/v1?k={KEY}"}
    settings = Settings(models={"extra_body": {"gateway_token": KEY}}).models
    agent = make_models(settings, environ).agent
    bound = agent.bind_tools([])
    for kept in (repr(agent), str(agent), repr(bound), dumps(agent), dumps(bound)):
        assert KEY not in kept
    assert "model_name='m'" in repr(agent)


@pytest.mark.parametrize(
    "models",
    [
        {"api_key_env": KEY},  # the key itself where its variable should be named
        {"api_key": KEY},
        {"router": {"api_key": KEY}},
        {"base_url": f"https://user:{KEY}@gateway.internal/v1"},
        {"base_url": f"https://gateway.internal/v1?key={KEY}"},
        {"provider": KEY},
        {"extra_body": KEY},
        {"timeout_seconds": KEY},
    ],
)
def test_no_key_in_the_error_of_a_wrong_setting(models: dict[str, Any]) -> None:
    with pytest.raises(SettingsError) as raised:
        Settings(models=models)
    assert KEY not in str(raised.value)
    assert raised.value.__cause__ is None
    assert "models." in str(raised.value)


@pytest.mark.parametrize("status", [200, 401])
def test_doctor_shows_each_components_model_and_no_key(
    status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with serving(TinyProvider('{"intent": "DIAGNOSIS"}', status=status)) as provider:
        environment = {
            "MODELS__NAME": "large",
            "MODELS__BASE_URL": provider.url,
            "MODELS__API_KEY_ENV": "TEAM_KEY",
            "MODELS__ROUTER__NAME": "small",
            "TEAM_KEY": KEY,
        }
        done = CliRunner().invoke(app, ["doctor"], env=environment)
    said = " ".join(done.stdout.split())
    verdict = "answers" if status == 200 else "MODEL_ACCESS_DENIED"
    assert f"model {verdict} large at {provider.url}" in said
    assert "(agent, evidence_repair, semantic_guard)" in said
    assert f"model.router {verdict} small at {provider.url} (router)" in said
    assert KEY not in done.output
    assert sorted(body["model"] for body in provider.bodies) == ["large", "small"]
