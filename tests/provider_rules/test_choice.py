"""Which model a component gets: code, sections, presets and environment, and what is refused."""

from typing import Any

import pytest

from graph import Settings, SettingsError
from graph.model_settings import ModelSettings
from graph.provider_presets import ProviderPreset, provider_presets
from graph.providers.choice import ChosenModel, chosen_model

NAMED = ("deepseek", "qwen", "glm", "kimi", "vllm", "ollama", "llama_cpp", "gateway")
KEYS = {preset.api_key_env: f"key-of-{name}" for name, preset in provider_presets().items()}


def chosen(component: Any = "agent", environ: Any = KEYS, **models: Any) -> ChosenModel:
    choice = chosen_model(Settings(models=models).models, component, environ)
    assert choice is not None
    return choice


@pytest.mark.parametrize("name", NAMED)
def test_a_preset_fills_in_what_the_team_leaves_out(name: str) -> None:
    preset = provider_presets()[name]
    here = {} if preset.base_url else {"base_url": "http://127.0.0.1:1/v1"}
    choice = chosen(provider=name, name="some-model", **here)
    assert choice.base_url == (preset.base_url or "http://127.0.0.1:1/v1")
    assert choice.key is not None
    assert choice.draft_format == preset.draft_format
    assert choice.parallel_tool_calls == preset.parallel_tool_calls
    assert choice.extra_body == preset.extra_body
    assert (choice.temperature is None) is (not preset.temperature)


@pytest.mark.parametrize("name", NAMED)
def test_what_a_provider_lacks_is_said_and_documented(name: str) -> None:
    preset = provider_presets()[name]
    assert preset.lacks
    assert preset.documentation
    assert all(page.startswith("https://") for page in preset.documentation)
    assert preset.draft_format in preset.formats


def test_a_teams_own_values_beat_the_preset() -> None:
    choice = chosen(
        provider="deepseek",
        name="m",
        draft_format="text",
        parallel_tool_calls="on",
        temperature=0.7,
        extra_body={"thinking": {"type": "enabled"}, "more": 1},
        timeout_seconds=5,
        connect_timeout_seconds=2,
    )
    assert (choice.draft_format, choice.parallel_tool_calls) == ("text", "on")
    assert (choice.temperature, choice.timeout_seconds, choice.connect_timeout_seconds) == (
        0.7,
        5,
        2,
    )
    assert choice.extra_body == {"thinking": {"type": "enabled"}, "more": 1}


def test_temperature_can_be_left_out_and_insisted_on() -> None:
    assert chosen(name="m").temperature == 0
    assert chosen(name="m", temperature="omit").temperature is None
    assert chosen(provider="kimi", name="m", temperature=0.3).temperature == 0.3


def test_a_component_has_its_own_and_shares_the_rest() -> None:
    models = {
        "provider": "deepseek",
        "name": "large",
        "timeout_seconds": 90,
        "router": {"name": "small", "timeout_seconds": 9},
        "semantic_guard": {"provider": "ollama", "name": "judge"},
    }
    agent, router, guard = (chosen(c, **models) for c in ("agent", "router", "semantic_guard"))
    assert (agent.name, agent.timeout_seconds) == ("large", 90)
    assert (router.name, router.timeout_seconds) == ("small", 9)
    assert (router.base_url, router.key) == (agent.base_url, agent.key)
    assert guard.base_url == provider_presets()["ollama"].base_url
    assert guard.timeout_seconds == 90
    assert guard.extra_body == {}


def test_no_key_goes_to_another_server() -> None:
    # a component elsewhere inherits neither address nor key
    environ = {"DEEPSEEK_API_KEY": "canary-key"}
    models = {"provider": "deepseek", "name": "m", "router": {"provider": "ollama", "name": "r"}}
    assert chosen("router", environ, **models).key is None
    stray = {"provider": "deepseek", "name": "m", "router": {"base_url": "http://127.0.0.1:1/v1"}}
    with pytest.raises(SettingsError, match=r"models\.router\.base_url: another server"):
        chosen("router", environ, **stray)
    own = {"base_url": "http://127.0.0.1:1/v1", "api_key_env": "ROUTER_KEY"}
    with pytest.raises(SettingsError, match="needs a key in ROUTER_KEY"):
        chosen("router", environ, **{**stray, "router": own})
    both = {**environ, "ROUTER_KEY": "its-own"}
    key = chosen("router", both, **{**stray, "router": own}).key
    assert key is not None
    assert key.get_secret_value() == "its-own"


def test_the_usual_variables_count_without_a_named_provider_only() -> None:
    usual = {"OPENAI_MODEL": "usual", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}
    assert chosen(environ=usual).name == "usual"
    assert chosen(environ=usual).base_url == "http://127.0.0.1:1/v1"
    named = chosen(environ={**usual, **KEYS}, provider="deepseek", name="m")
    assert (named.name, named.base_url) == ("m", "https://api.deepseek.com")


def test_nothing_named_is_the_rules_model() -> None:
    assert chosen_model(ModelSettings(), "agent", {"OPENAI_MODEL": "m"}) is None


@pytest.mark.parametrize(
    ("models", "line"),
    [
        ({"provider": "openia", "name": "m"}, "models.provider: not one of openai, deepseek"),
        ({"provider": "deepseek"}, "models.name: a provider is configured; name its model"),
        ({"provider": "gateway", "name": "m"}, "models.base_url: gateway has none of its own"),
        (
            {"provider": "deepseek", "name": "m", "draft_format": "json_schema"},
            "models.draft_format: deepseek has no json_schema; take text or json_object",
        ),
        ({"draft_format": "xml"}, "models.draft_format: Input should be 'text'"),
        ({"timeout_seconds": 0}, "models.timeout_seconds: Input should be greater than 0"),
        ({"temperature": 3}, "models.temperature"),
        ({"router": {"nmae": "m"}}, "models.router.nmae: no such setting; did you mean name?"),
        ({"base_url": "127.0.0.1:1"}, "models.base_url: not a URL that begins with http"),
    ],
)
def test_what_cannot_work_is_one_line(models: dict[str, Any], line: str) -> None:
    with pytest.raises(SettingsError) as raised:
        chosen(**models)
    assert str(raised.value).startswith(line)
    assert "\n" not in str(raised.value)


def test_a_hosted_provider_without_its_key_says_which_variable() -> None:
    with pytest.raises(SettingsError, match=r"deepseek needs a key in DEEPSEEK_API_KEY"):
        chosen(environ={}, provider="deepseek", name="m")
    with pytest.raises(SettingsError, match=r"kimi needs a key in TEAM_KEY"):
        chosen(environ={}, provider="kimi", name="m", api_key_env="TEAM_KEY")


def test_sections_come_from_environment_and_file_too(monkeypatch: Any, tmp_path: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "diagnosis.toml").write_text(
        '[models]\nprovider = "qwen"\nname = "file"\n[models.router]\nname = "small"\n', "utf-8"
    )
    monkeypatch.setenv("MODELS__NAME", "environment")
    monkeypatch.setenv("MODELS__EXTRA_BODY", '{"top_k": 1}')
    models = Settings().models
    assert (models.provider, models.name, models.router.name) == ("qwen", "environment", "small")
    assert models.extra_body == {"top_k": 1}


def test_presets_are_checked_data() -> None:
    with pytest.raises(ValueError, match="formats"):
        ProviderPreset.model_validate({"documentation": [], "lacks": "", "api_key_env": "K"})
