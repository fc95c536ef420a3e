"""Which models answer: the configured OpenAI-compatible providers, or the built-in rules model."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from graph.model_settings import COMPONENT_NAMES, ComponentName, ModelSettings
from graph.models import Models
from graph.providers.choice import ChosenModel, chosen_model
from graph.providers.formats import response_format

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

RULES_MODEL_NOTICE = (
    "No model provider is configured: the built-in rules model answers. It is deterministic,"
    " works offline and finds simple causes only; set OPENAI_API_KEY and OPENAI_MODEL for more."
)


def provider_is_configured(settings: ModelSettings, environ: Mapping[str, str]) -> bool:
    """Whether a provider answers for the agent. Raises `SettingsError` as `make_models`."""
    return chosen_model(settings, "agent", environ) is not None


def make_models(settings: ModelSettings, environ: Mapping[str, str]) -> Models:
    """The models of every component. Raises `SettingsError` for a choice that cannot work."""
    chosen = {name: chosen_model(settings, name, environ) for name in COMPONENT_NAMES}
    if not any(chosen.values()):
        from graph.offline import offline_models

        return offline_models()
    return Models(**{name: _client(name, choice) for name, choice in chosen.items()})


def _client(component: ComponentName, chosen: ChosenModel | None) -> "BaseChatModel":
    if chosen is None:
        from graph.offline import offline_models

        return getattr(offline_models(), component)  # type: ignore[no-any-return]
    from openai import Timeout
    from pydantic import SecretStr

    from graph.providers.chat import CompatibleChat

    # Local servers want no key, but the client refuses to start without one. Retries are counted
    # and traced by the run itself, so the client makes none of its own.
    return CompatibleChat(
        model=chosen.name,
        base_url=chosen.base_url,
        api_key=chosen.key or SecretStr("none"),
        timeout=Timeout(chosen.timeout_seconds, connect=chosen.connect_timeout_seconds),
        max_retries=0,
        disable_streaming=not chosen.streaming,
        stream_usage=chosen.stream_usage,
        temperature=chosen.temperature,
        parallel_calls=chosen.parallel_tool_calls,
        extra_body=_extra_body(component, chosen),
    )


def _extra_body(component: ComponentName, chosen: ChosenModel) -> dict[str, Any] | None:
    """The client's own parameter for a format would parse replies and refuse tools that are not
    strict, so it goes out like the other fields that the client does not know."""
    body = dict(chosen.extra_body)
    wanted = response_format(component, chosen.draft_format)
    if wanted is not None and (component != "agent" or chosen.format_with_tools):
        body = {"response_format": wanted, **body}
    return body or None
