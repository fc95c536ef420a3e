"""Which models answer: the configured OpenAI-compatible provider, or the built-in rules model."""

from collections.abc import Mapping

from graph.models import Models
from graph.settings import ModelSettings, SettingsError

RULES_MODEL_NOTICE = (
    "No model provider is configured: the built-in rules model answers. It is deterministic,"
    " works offline and finds simple causes only; set OPENAI_API_KEY and OPENAI_MODEL for more."
)


def provider_is_configured(settings: ModelSettings, environ: Mapping[str, str]) -> bool:
    """Whether a key or a base URL names a provider."""
    return bool(
        environ.get(settings.api_key_env) or settings.base_url or environ.get("OPENAI_BASE_URL")
    )


def make_models(settings: ModelSettings, environ: Mapping[str, str]) -> Models:
    """The models of every component. Raises `SettingsError` when a provider lacks a model name."""
    if not provider_is_configured(settings, environ):
        from graph.offline import offline_models

        return offline_models()
    name = settings.name or environ.get("OPENAI_MODEL")
    if not name:
        raise SettingsError("models.name: a provider is configured; name its model (OPENAI_MODEL)")
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    # Local servers want no key, but the client refuses to start without one. Retries are counted
    # and traced by the run itself, so the client makes none of its own.
    return Models(
        agent=ChatOpenAI(
            model=name,
            base_url=settings.base_url or environ.get("OPENAI_BASE_URL"),
            api_key=SecretStr(environ.get(settings.api_key_env) or "none"),
            timeout=settings.timeout_seconds,
            max_retries=0,
            stream_usage=True,
            temperature=0,
        )
    )
