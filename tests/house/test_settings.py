"""Code beats environment beats file beats defaults; one line names what is wrong."""

from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import GenericFakeChatModel

from graph import Settings, SettingsError, build_graph
from graph.model_settings import ModelSettings
from graph.provider import make_models
from graph.stores.records import records_kept, records_place
from graph.stores.sessions import sessions_place
from tests.fakes.scripted_model import ScriptedModel
from tests.scenarios.scenario import KeywordTool
from tools import SqliteInvocationStore

KEY = "HARNESS__CHAT__STOP_AFTER_CONSECUTIVE_NO_GAIN"


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _threshold(**values: Any) -> int:
    return Settings(**values).harness.chat.stop_after_consecutive_no_gain


def test_precedence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _threshold() == 2  # C3.7
    (tmp_path / "diagnosis.toml").write_text(
        "[harness.chat]\nstop_after_consecutive_no_gain = 4\n", encoding="utf-8"
    )
    assert _threshold() == 4
    monkeypatch.setenv(KEY, "3")
    assert _threshold() == 3
    assert _threshold(harness={"chat": {"stop_after_consecutive_no_gain": 5}}) == 5


@pytest.mark.parametrize(
    ("values", "line"),
    [
        (
            {"harness": {"chat": {"stop_after_consecutive_no_gain": 0}}},
            "harness.chat.stop_after_consecutive_no_gain: "
            "Input should be greater than or equal to 1",
        ),
        (
            {"harness": {"chat": {"stop_after_consecutive_protocol_violations": -1}}},
            "harness.chat.stop_after_consecutive_protocol_violations: "
            "Input should be greater than or equal to 1",
        ),
        (
            {"harness": {"budget": {"max_model_calls": 2}}},
            "harness.budget: release_reserve_calls must be smaller than max_model_calls",
        ),
        ({"harness": {"budgets": {}}}, "harness.budgets: no such setting; did you mean budget?"),
        ({"harness": {"x": 1}}, "harness.x: no such setting; there are budget, chat"),
        ({"timezone": "UTC"}, "timezone: no such setting; did you mean time_zone?"),
        (
            {"stores": {"sessions": {"url": "mysql://team:canary@db/x"}}},
            "stores.sessions.url: not a URL that begins with postgresql:// or postgres://",
        ),
        (
            {"stores": {"records": {"url": "canary"}}},
            "stores.records.url: not a URL that begins with redis:// or rediss:// or unix://",
        ),
        ({"time_zone": "Mars/Base"}, "time_zone: not an IANA time zone such as Asia/Shanghai"),
    ],
)
def test_wrong_values_name_their_key_in_one_line(values: dict[str, Any], line: str) -> None:  # C3.7
    with pytest.raises(SettingsError) as raised:
        Settings(**values)
    assert str(raised.value) == line


def test_wrong_values_are_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "canary-secret")
    with pytest.raises(SettingsError) as raised:
        Settings()
    assert "canary" not in str(raised.value)


def test_store_urls_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORES__SESSIONS__URL", "postgresql://team:canary@db.internal/sessions")
    monkeypatch.setenv("STORES__RECORDS__URL", "rediss://:canary@cache.internal:6380/0")
    settings = Settings()
    shown = [repr(settings), str(settings.model_dump()), settings.model_dump_json()]
    shown += [sessions_place(settings), records_place(settings), records_kept(settings)]
    assert "canary" not in str(shown)
    assert shown[-3:-1] == ["PostgreSQL at db.internal", "Redis at cache.internal"]
    assert shown[-1] == "a record expires after 7 days"


def test_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "diagnosis.toml").write_text("harness = [", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"diagnosis\.toml"):
        Settings()


def test_defaults_are_the_contract() -> None:  # C8
    assert Settings().limits() == {
        "stop_after_consecutive_no_gain": 2,
        "stop_after_consecutive_protocol_violations": 2,
        "max_model_calls": 14,
        "release_reserve_calls": 2,
        "max_tool_calls": 8,
        "max_tokens": 60_000,
        "max_observation_bytes": 8_192,
        "max_run_observation_bytes": 131_072,
        "max_seconds": 180,
        "tool_timeout_seconds": 20,
    }


def test_provider_needs_a_model_name() -> None:
    with pytest.raises(SettingsError, match=r"models\.name"):
        make_models(ModelSettings(), {"OPENAI_API_KEY": "k"})


def test_configured_provider_keeps_its_key_to_itself() -> None:
    models = make_models(
        ModelSettings(name="some-model"),
        {"OPENAI_API_KEY": "canary-key", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"},
    )
    assert type(models.agent).__mro__[1].__name__ == "ChatOpenAI"
    assert "canary-key" not in repr(models)


def test_bare_environment_names_belong_to_somebody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODELS", "gpt-4")
    monkeypatch.setenv("TIME_ZONE", "Mars/Base")
    assert Settings().time_zone == "UTC"


def test_a_misspelt_section_is_refused() -> None:
    with pytest.raises(SettingsError, match="harnes: no such setting; did you mean harness"):
        Settings(harnes={})


def test_an_unusable_prompt_folder_names_its_key(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"prompts\.dir: "):
        build_graph(
            models=ScriptedModel(replies=[]),
            tools=[],
            invocations=SqliteInvocationStore(":memory:"),
            settings=Settings(prompts={"dir": tmp_path / "nowhere"}),
        )


def test_a_model_without_tools_is_refused_by_name() -> None:
    with pytest.raises(SettingsError, match=r"models\.agent: GenericFakeChatModel"):
        build_graph(
            models=GenericFakeChatModel(messages=iter([])),
            tools=[KeywordTool("logs", {}, factual=True)],
            invocations=SqliteInvocationStore(":memory:"),
        )
