"""The named providers: what each of them is, speaks and lacks, read from `providers.toml`."""

import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

DraftFormat = Literal["text", "json_object", "json_schema"]
ParallelCalls = Literal["off", "on", "omit"]
DEFAULT_PROVIDER = "openai"


class ProviderPreset(BaseModel):
    """One provider. `lacks` is for people; the other fields decide what a request may hold."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    documentation: tuple[str, ...]
    lacks: str
    base_url: str | None = None
    api_key_env: str
    needs_key: bool = True
    formats: tuple[DraftFormat, ...]
    draft_format: DraftFormat = "text"
    format_with_tools: bool = False
    parallel_tool_calls: ParallelCalls = "off"
    temperature: bool = True
    extra_body: dict[str, Any] = {}


@lru_cache(maxsize=1)
def provider_presets() -> dict[str, ProviderPreset]:
    """Every named provider by its name."""
    text = (files(__package__) / "providers.toml").read_text("utf-8")
    return {
        name: ProviderPreset.model_validate(fields) for name, fields in tomllib.loads(text).items()
    }


def known_provider(name: str) -> str:
    """The name, if it is one. Raises ValueError that lists them."""
    if name not in provider_presets():
        raise ValueError(f"not one of {', '.join(provider_presets())}")
    return name
