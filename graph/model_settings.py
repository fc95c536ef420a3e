"""Which models answer: one for all components, and what a component has of its own."""

from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from graph.provider_presets import DraftFormat, ParallelCalls, known_provider

ComponentName = Literal["agent", "router", "evidence_repair", "semantic_guard"]
COMPONENT_NAMES: tuple[ComponentName, ...] = get_args(ComponentName)


def _address(url: str) -> str:
    """An address is shown to operators, so no secret stands in it."""
    if not url.startswith(("http://", "https://")):
        raise ValueError("not a URL that begins with http:// or https://")
    if "@" in url.partition("://")[2].partition("/")[0] or "?" in url:
        raise ValueError("a key belongs in an environment variable that api_key_env names")
    return url


Address = Annotated[str, AfterValidator(_address)]
VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Temperature = Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | Literal["omit"]


class ModelChoice(BaseModel):
    """A model and how it is spoken to. What is left out the provider's preset says, which is that
    of any OpenAI-compatible server unless `provider` names one of `providers.toml`.

    `api_key_env`: the environment variable that holds the key, never the key. `timeout_seconds`:
    the longest silence within a reply. `draft_format`: the `response_format` asked for, beside
    tools where the provider has both. `parallel_tool_calls`: what is said about several calls in
    one message (C2.4). `streaming`: false for a server that answers a wish for a stream as a whole.
    `stream_usage`: false for one that refuses `stream_options`; what a stream cost is then known
    only if the server says so unasked (C7.3). `extra_body`: further fields of every request, over
    the preset's; no place for a secret, since tracers are shown it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    provider: Annotated[str, AfterValidator(known_provider)] | None = None
    name: Annotated[str, Field(min_length=1)] | None = None
    base_url: Address | None = None
    api_key_env: VariableName | None = None
    timeout_seconds: Seconds | None = None
    connect_timeout_seconds: Seconds | None = None
    draft_format: DraftFormat | None = None
    parallel_tool_calls: ParallelCalls | None = None
    streaming: bool | None = None
    stream_usage: bool | None = None
    temperature: Temperature | None = None
    extra_body: Annotated[dict[str, Any] | None, Field(repr=False)] = None


class ModelSettings(ModelChoice):
    """The model of every component; a component's own section beats it key by key.

    Left out, OPENAI_MODEL, OPENAI_BASE_URL and OPENAI_API_KEY count; without a key, a base URL or
    a named provider the built-in rules model answers.
    """

    agent: ModelChoice = ModelChoice()
    router: ModelChoice = ModelChoice()
    evidence_repair: ModelChoice = ModelChoice()
    semantic_guard: ModelChoice = ModelChoice()
