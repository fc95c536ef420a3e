"""The OpenAI client as compatible servers need it: what they do not know is not sent, and the usage
they report in words of their own is read. Heavy: imported when a provider is configured."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_openai import ChatOpenAI

from graph.provider_presets import ParallelCalls

_SHOWN = frozenset({"model_name", "temperature", "parallel_calls", "request_timeout"})
"""In texts of a client; neither address nor extra body."""


class CompatibleChat(ChatOpenAI):
    """`ChatOpenAI` with a say in `parallel_tool_calls` and with cached tokens of every dialect."""

    parallel_calls: ParallelCalls = "off"

    @classmethod
    def is_lc_serializable(cls) -> bool:
        """Tracers write down what is; an address from OPENAI_BASE_URL may hold a password."""
        return False

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        return ((name, value) for name, value in super().__repr_args__() if name in _SHOWN)

    def bind_tools(
        self, tools: Sequence[Any], **options: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """As in the base; what is said of parallel calls is this model's own choice (C2.4)."""
        options.pop("parallel_tool_calls", None)
        if self.parallel_calls != "omit":
            options["parallel_tool_calls"] = self.parallel_calls == "on"
        return super().bind_tools(tools, **options)

    def _create_chat_result(self, response: Any, generation_info: Any = None) -> ChatResult:
        result = super()._create_chat_result(response, generation_info)
        reported = (result.llm_output or {}).get("token_usage")
        for message in (generation.message for generation in result.generations):
            if isinstance(message, AIMessage):
                message.usage_metadata = with_cached_tokens(message.usage_metadata, reported)
        return result

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: Any, base_generation_info: Any
    ) -> ChatGenerationChunk | None:
        chunk = {**chunk, "usage": _usage_of(chunk)}
        made = super()._convert_chunk_to_generation_chunk(
            chunk, default_chunk_class, base_generation_info
        )
        message = made.message if made is not None else None
        if isinstance(message, AIMessageChunk):
            message.usage_metadata = with_cached_tokens(message.usage_metadata, chunk["usage"])
        return made


def with_cached_tokens(
    usage: UsageMetadata | None, reported: Mapping[str, Any] | None
) -> UsageMetadata | None:
    """The usage with the cached input that a provider reports outside of `prompt_tokens_details`:
    DeepSeek as `prompt_cache_hit_tokens`, Kimi as `cached_tokens`."""
    if usage is None or not isinstance(reported, Mapping):
        return usage
    details = usage.get("input_token_details") or {}
    told = reported.get("prompt_cache_hit_tokens", reported.get("cached_tokens"))
    if details.get("cache_read") is not None or not isinstance(told, int):
        return usage
    merged = {**usage, "input_token_details": {**details, "cache_read": told}}
    return cast(UsageMetadata, merged)


def _usage_of(chunk: Mapping[str, Any]) -> Any:
    """Kimi reports a stream's usage inside its last choice."""
    choices = chunk.get("choices") or [{}]
    first = choices[0] if isinstance(choices[0], Mapping) else {}
    return chunk.get("usage") or first.get("usage")
