"""One reply out of the parts that a stream brings, and what a provider's own merging loses of it.

- Arguments stay as they were written: a call that was cut off is not completed by guessing.
- Usage that every part repeats, grown, is counted once; usage in shares is added up.
- A finish reason that comes more than once is the last one.
"""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata, add_usage
from langchain_core.messages.tool import ToolCallChunk, tool_call_chunk

CUT_REASONS = frozenset(
    {"length", "max_tokens", "model_length", "content_filter", "insufficient_system_resource"}
)
"""Why a provider stops before the model has: length, its filter, lack of its own means."""


class BrokenOff(ConnectionError):
    """A stream that ended before the reply did, or whose tool calls did not come through."""


def is_cut(message: AIMessage) -> bool:
    """Whether the text is only the beginning of what the model would have said."""
    return str(message.response_metadata.get("finish_reason")).lower() in CUT_REASONS


def gathered(parts: Sequence[BaseMessage]) -> AIMessage | None:
    """The whole reply; None where nothing came, or what came is no reply of an assistant. A
    streamed one holds its calls in order as `tool_call_chunks`, one a call. Raises `BrokenOff`."""
    if len(parts) == 1 and isinstance(parts[0], AIMessage) and not _is_streamed(parts[0]):
        return parts[0]
    chunks = [part for part in parts if isinstance(part, AIMessageChunk)]
    if not chunks or len(chunks) < len(parts):
        return None
    calls, reason = _whole_calls(chunks), _finish_reason(chunks)
    if (reason is None and _gives_reasons(chunks)) or (reason == "tool_calls" and not calls):
        raise BrokenOff
    return AIMessageChunk(
        content="".join(chunk.text for chunk in chunks),
        tool_call_chunks=calls,
        usage_metadata=_last_usage(chunks),
        response_metadata={"finish_reason": reason} if reason else {},
    )


def _is_streamed(part: BaseMessage) -> bool:
    return isinstance(part, AIMessageChunk)


def _finish_reason(chunks: Sequence[AIMessageChunk]) -> Any:
    reasons = [chunk.response_metadata.get("finish_reason") for chunk in chunks]
    return next((reason for reason in reversed(reasons) if reason), None)


def _gives_reasons(chunks: Sequence[AIMessageChunk]) -> bool:
    """Whether every whole reply of this provider says why it ended: chat completions do."""
    told = [chunk.response_metadata for chunk in chunks]
    completions = any(each.get("model_provider") == "openai" for each in told)
    return completions and not any("status" in each for each in told)


def _whole_calls(chunks: Sequence[AIMessageChunk]) -> list[ToolCallChunk]:
    calls: list[ToolCallChunk] = []
    for piece in (piece for chunk in chunks for piece in chunk.tool_call_chunks):
        earlier = next((call for call in reversed(calls) if _continues(call, piece)), None)
        if earlier is None:
            calls.append(_begun(piece))
            continue
        earlier["args"] = (earlier["args"] or "") + (piece["args"] or "")
        earlier["name"] = earlier["name"] or piece["name"]
        earlier["id"] = earlier["id"] or piece["id"]
    return calls


def _begun(piece: ToolCallChunk) -> ToolCallChunk:
    return tool_call_chunk(
        name=piece["name"], args=piece["args"], id=piece["id"], index=piece["index"]
    )


def _continues(call: ToolCallChunk, piece: ToolCallChunk) -> bool:
    """Whether a piece goes on with a call. Some gateways give every call the same index, others
    every piece a new id: only a new id and a name together begin a call. Without any index a
    name does."""
    if call["index"] != piece["index"]:
        return False
    if piece["index"] is None:
        return not piece["name"]
    is_new = piece["id"] and piece["name"] and call["id"] != piece["id"]
    return not is_new


def _last_usage(chunks: Sequence[AIMessageChunk]) -> UsageMetadata | None:
    """What the parts reported in all: one that counts the whole prompt again replaces the earlier
    ones, any other is a share."""
    total: UsageMetadata | None = None
    for reported in (chunk.usage_metadata for chunk in chunks if chunk.usage_metadata):
        total = reported if total is None or _holds(reported, total) else add_usage(total, reported)
    return total


def _holds(later: UsageMetadata, earlier: UsageMetadata) -> bool:
    return 0 < earlier["input_tokens"] <= later["input_tokens"]
