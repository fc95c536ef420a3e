"""From settings, presets and environment to one component's model, before any client is made."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import SecretStr

from graph.model_settings import ComponentName, ModelChoice, ModelSettings
from graph.provider_presets import (
    DEFAULT_PROVIDER,
    DraftFormat,
    ParallelCalls,
    ProviderPreset,
    provider_presets,
)
from graph.settings import SettingsError

TIMEOUT_SECONDS = 60.0
CONNECT_TIMEOUT_SECONDS = 10.0
_OWN = frozenset({"base_url", "api_key_env", "extra_body"})
"""What belongs to one server: a component with another server takes none of it from the rest."""
_OF_PROVIDER = frozenset(
    {
        "provider",
        "name",
        "draft_format",
        "parallel_tool_calls",
        "streaming",
        "stream_usage",
        "temperature",
    }
)
"""What another provider need not have."""


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """What a client is made of. The key is never part of a text."""

    name: str
    base_url: str | None
    key: SecretStr | None
    timeout_seconds: float
    connect_timeout_seconds: float
    draft_format: DraftFormat
    format_with_tools: bool
    parallel_tool_calls: ParallelCalls
    streaming: bool
    stream_usage: bool
    temperature: float | None
    extra_body: Mapping[str, Any] = field(repr=False)


def chosen_model(
    settings: ModelSettings, component: ComponentName, environ: Mapping[str, str]
) -> ChosenModel | None:
    """The component's model; None: nothing names a provider, the rules model answers. Raises
    `SettingsError` for a choice that cannot work."""
    choice = _merged(settings, getattr(settings, component), component)
    preset = provider_presets()[choice.provider or DEFAULT_PROVIDER]
    base_url, key = _place(choice, preset, environ), _key(choice, preset, environ)
    if choice.provider is None and base_url is None and key is None:
        return None
    section = _section(settings, component)
    _refuse_incomplete(choice, preset, base_url, key, section)
    temperature = choice.temperature if choice.temperature is not None else 0.0
    return ChosenModel(
        name=_name(choice, environ, section),
        base_url=base_url,
        key=key,
        timeout_seconds=choice.timeout_seconds or TIMEOUT_SECONDS,
        connect_timeout_seconds=choice.connect_timeout_seconds or CONNECT_TIMEOUT_SECONDS,
        draft_format=choice.draft_format or preset.draft_format,
        format_with_tools=preset.format_with_tools,
        parallel_tool_calls=choice.parallel_tool_calls or preset.parallel_tool_calls,
        streaming=choice.streaming is not False,
        stream_usage=choice.stream_usage is not False,
        temperature=_sent(temperature, preset, asked=choice.temperature is not None),
        extra_body={**preset.extra_body, **(choice.extra_body or {})},
    )


def _merged(settings: ModelSettings, own: ModelChoice, component: ComponentName) -> ModelChoice:
    if own.base_url and not own.provider and not own.api_key_env:
        raise SettingsError(
            f"models.{component}.base_url: another server than the rest; name its provider or the"
            " variable of its key (api_key_env)"
        )
    elsewhere = own.base_url is not None or own.provider is not None
    shared = {
        key: getattr(settings, key)
        for key in ModelChoice.model_fields
        if not (elsewhere and (key in _OWN or (own.provider and key in _OF_PROVIDER)))
    }
    given = own.model_dump(exclude_none=True)
    return ModelChoice.model_construct(**{**shared, **given})


def _place(choice: ModelChoice, preset: ProviderPreset, environ: Mapping[str, str]) -> str | None:
    from_environment = environ.get("OPENAI_BASE_URL") if choice.provider is None else None
    return choice.base_url or from_environment or preset.base_url


def _key(
    choice: ModelChoice, preset: ProviderPreset, environ: Mapping[str, str]
) -> SecretStr | None:
    held = environ.get(choice.api_key_env or preset.api_key_env, "").strip()
    return SecretStr(held) if held else None


def _name(choice: ModelChoice, environ: Mapping[str, str], section: str) -> str:
    from_environment = environ.get("OPENAI_MODEL") if choice.provider is None else None
    name = choice.name or from_environment
    if not name:
        hint = " (OPENAI_MODEL)" if choice.provider is None else ""
        raise SettingsError(f"{section}.name: a provider is configured; name its model{hint}")
    return name


def _refuse_incomplete(
    choice: ModelChoice,
    preset: ProviderPreset,
    base_url: str | None,
    key: SecretStr | None,
    section: str,
) -> None:
    provider = choice.provider or DEFAULT_PROVIDER
    if preset.needs_key and key is None:
        variable = choice.api_key_env or preset.api_key_env
        raise SettingsError(f"{section}.api_key_env: {provider} needs a key in {variable}")
    if base_url is None and provider != DEFAULT_PROVIDER:
        raise SettingsError(f"{section}.base_url: {provider} has none of its own; name it")
    if choice.draft_format and choice.draft_format not in preset.formats:
        known = " or ".join(preset.formats)
        raise SettingsError(
            f"{section}.draft_format: {provider} has no {choice.draft_format}; take {known}"
        )


def _sent(temperature: float | str, preset: ProviderPreset, *, asked: bool) -> float | None:
    """A provider that fixes the temperature is sent one only where a team insists."""
    if isinstance(temperature, str) or not (preset.temperature or asked):
        return None
    return temperature


def _section(settings: ModelSettings, component: ComponentName) -> str:
    """Where the setting to mend stands."""
    own = getattr(settings, component)
    return f"models.{component}" if own.model_fields_set else "models"
