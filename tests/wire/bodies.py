"""A scripted reply as a provider's body: one completion, or the chunks of a stream.

Keys of a reply: `text`, `calls` (`id`, `name`, `arguments` as text or as an object), `finish`,
`refusal`, `reasoning`; `usage` as [prompt, completion], as the provider's own object, or null;
`usage_at` in a stream: `last` (a chunk of its own, where the request wants it), `finish` (with the
finish reason, always), `every` (cumulative, in every chunk). Short forms: `ask` and `draft`.
"""

import json
from typing import Any

from tests.fakes.replies import MISSING_CONTEXT, PROVED, call, draft, judged, routed

PIECE_CHARS = 24
USAGE = [10, 5]
_SAID = {
    "proved": PROVED.text,
    "missing": MISSING_CONTEXT.text,
    "diagnosis": routed().text,
    "supported": judged().text,
    "invented": draft("a cause", ("c1", "e1", "words that stand nowhere")).text,
}


def completion(reply: dict[str, Any], model: str) -> dict[str, Any]:
    """The whole reply as one JSON body."""
    message: dict[str, Any] = {"role": "assistant", "content": text_of(reply)}
    if calls_of(reply):
        message["tool_calls"] = [_call(call) for call in calls_of(reply)]
    message.update(_asides(reply))
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply)}
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": model}
    body["choices"] = [choice]
    if usage_of(reply) is not None:
        body["usage"] = usage_of(reply)
    return body


def chunks(reply: dict[str, Any], model: str, *, usage: bool) -> list[dict[str, Any]]:
    """The reply as a stream's chunks; `usage`: whether the request asked for it."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{name: piece} for name, said in _asides(reply).items() for piece in _pieces(said)]
    deltas += [{"content": piece} for piece in _pieces(text_of(reply) or "")]
    for number, asked in enumerate(calls_of(reply)):
        deltas += _call_deltas(number, asked, reply)
    parts = [_chunk(model, delta, None) for delta in deltas]
    parts.append(_chunk(model, {}, _finish(reply)))
    _report(parts, reply, model, usage)
    return parts


def event(chunk: dict[str, Any]) -> str:
    """One server-sent event, a comment before it as some gateways send."""
    return f": keep-alive\n\ndata: {json.dumps(chunk, ensure_ascii=False)}\n\n"


def text_of(reply: dict[str, Any]) -> str | None:
    """What stands in `content`."""
    if "long_text" in reply:
        return "x" * reply["long_text"]
    said = reply.get("draft")
    return _SAID[said] if said is not None else reply.get("text")


def calls_of(reply: dict[str, Any]) -> list[dict[str, Any]]:
    """The tool calls, short form included."""
    if "ask" in reply:
        made = call(*reply["ask"])
        return [{"id": made["id"], "name": made["name"], "arguments": made["args"]}]
    return [_lengthened(each) for each in reply.get("calls", [])]


def _lengthened(asked: dict[str, Any]) -> dict[str, Any]:
    if "long_keyword" not in asked:
        return asked
    return {**asked, "arguments": {"input": {"keyword": "x" * asked["long_keyword"]}}}


def usage_of(reply: dict[str, Any]) -> dict[str, Any] | None:
    """The provider's own object, or None."""
    given = reply.get("usage", USAGE)
    if not isinstance(given, list):
        return given
    prompt, said, *cached = given
    usage = {"prompt_tokens": prompt, "completion_tokens": said, "total_tokens": prompt + said}
    return {**usage, "prompt_tokens_details": {"cached_tokens": cached[0]}} if cached else usage


def _report(parts: list[dict[str, Any]], reply: dict[str, Any], model: str, asked: bool) -> None:
    usage, place = usage_of(reply), reply.get("usage_at", "last")
    if usage is None:
        return
    if place == "every":
        for number, part in enumerate(parts):
            said = usage["completion_tokens"] * number // (len(parts) - 1)
            part["usage"] = {"prompt_tokens": usage["prompt_tokens"], "completion_tokens": said}
    elif place == "finish":
        parts[-1]["usage"] = usage
    elif asked:
        parts.append({**_chunk(model, {}, None), "choices": [], "usage": usage})


def _call(asked: dict[str, Any]) -> dict[str, Any]:
    arguments = asked["arguments"]
    written = json.dumps(arguments) if isinstance(arguments, dict) else arguments
    kept = {"type": "function", "function": {"name": asked["name"], "arguments": written}}
    return {"id": asked["id"], **kept} if "id" in asked else kept


def _call_deltas(number: int, asked: dict[str, Any], reply: dict[str, Any]) -> list[dict[str, Any]]:
    whole = _call(asked)
    index = 0 if reply.get("one_index") else number
    function = {"name": asked["name"], "arguments": ""}
    begun = {**whole, "index": index, "function": function}
    pieces = _pieces(whole["function"]["arguments"] or "")
    later = [
        {**_new_id(reply, n), "index": index, "function": {"arguments": piece}}
        for n, piece in enumerate(pieces)
    ]
    deltas = (begun, *later)
    if reply.get("no_index"):
        deltas = tuple({k: v for k, v in delta.items() if k != "index"} for delta in deltas)
    return [{"tool_calls": [delta]} for delta in deltas]


def _new_id(reply: dict[str, Any], number: int) -> dict[str, str]:
    return {"id": f"again_{number}"} if reply.get("new_ids") else {}


def _asides(reply: dict[str, Any]) -> dict[str, str]:
    fields = {"reasoning": "reasoning_content", "refusal": "refusal"}
    return {field: reply[name] for name, field in fields.items() if name in reply}


def _finish(reply: dict[str, Any]) -> str:
    return reply.get("finish", "tool_calls" if calls_of(reply) else "stop")


def _chunk(model: str, delta: dict[str, Any], finish: str | None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": model}
    return {**head, "choices": [choice]}


def _pieces(text: str) -> list[str]:
    return [text[at : at + PIECE_CHARS] for at in range(0, len(text), PIECE_CHARS)]
