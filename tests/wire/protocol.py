"""What a strict provider refuses in a request; every fault is named, none is raised."""

import json
from collections.abc import Iterator
from typing import Any

MAX_MESSAGE_BYTES = 81_920
"""Of one message as it is sent: what the harness keeps of an assistant's calls is below it."""

_ROLES = {"system", "user", "assistant", "tool"}
_PARAMETERS = {
    "model",
    "messages",
    "stream",
    "stream_options",
    "temperature",
    "tools",
    "parallel_tool_calls",
}
"""Nothing else goes out unless somebody configured it."""


def violations(request: dict[str, Any]) -> list[str]:
    """Everything that is wrong with the request."""
    return [*_parameters(request), *_messages(request["messages"])]


def _parameters(request: dict[str, Any]) -> Iterator[str]:
    for name in request.keys() - _PARAMETERS:
        yield f"parameter {name}"
    if request.get("tools") == []:
        yield "tools is an empty list"
    if "parallel_tool_calls" in request and "tools" not in request:
        yield "parallel_tool_calls without tools"
    if "stream_options" in request and not request.get("stream"):
        yield "stream_options without a stream"
    for tool in request.get("tools", []):
        if tool["type"] != "function" or "strict" in tool["function"]:
            yield "a tool that is no plain function"


def _messages(messages: list[dict[str, Any]]) -> Iterator[str]:
    if not messages or messages[0]["role"] != "system":
        yield "no system message first"
    if messages and messages[-1]["role"] not in {"user", "tool"}:
        yield "nothing to answer"
    seen: set[str] = set()
    open_calls: list[str] = []
    for number, message in enumerate(messages):
        yield from _one_message(message, first=number == 0)
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_calls:
                yield "an answer to no open call"
            else:
                open_calls.remove(message["tool_call_id"])
            continue
        if open_calls:
            yield "a call without its answer before the next turn"
        open_calls = [call["id"] for call in message.get("tool_calls") or []]
        if len(set(open_calls)) < len(open_calls) or seen & set(open_calls):
            yield "a call id used twice"
        seen.update(open_calls)
    if open_calls:
        yield "a call without its answer at the end"


def _one_message(message: dict[str, Any], *, first: bool) -> Iterator[str]:
    if message["role"] not in _ROLES or (message["role"] == "system") != first:
        yield f"role {message['role']} out of place"
    if len(json.dumps(message, ensure_ascii=False).encode()) > MAX_MESSAGE_BYTES:
        yield "an oversized message"
    calls = message.get("tool_calls")
    if calls == []:
        yield "tool_calls is an empty list"
    if not isinstance(message.get("content"), str) and not (
        calls and message.get("content") is None
    ):
        yield "content that is no text"
    for call in calls or []:
        yield from _one_call(call)


def _one_call(call: dict[str, Any]) -> Iterator[str]:
    if not isinstance(call.get("id"), str) or not call["id"].strip():
        yield "a call without an id"
    if call.get("type") != "function":
        yield "a call that is no function"
    try:
        arguments = json.loads(call["function"]["arguments"])
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        yield "arguments that are no object"
