"""The tool calls of an assistant message: made well-formed for the dialogue, read for the gate."""

import json
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk

from graph.contract.envelope import Envelope, ToolRequest, as_object, parse_envelope
from graph.parts import Parts
from graph.state import DialogueCall, DialogueMessage
from tools.requests import InvalidInput, PreparedRequest, plain_object, prepare_request
from tools.scope import canonical_json

UNKNOWN_TOOL_NAME = "unknown"
MAX_ARGUMENT_CHARS = 65_536
"""Of all the calls of one message, as compact JSON: every later request carries them."""
MAX_ID_BYTES = 64
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")


@dataclass(frozen=True, slots=True)
class ReadCall:
    """A call as the gate and the boundary need it; `invalid_fields` are parts of the envelope where
    that is malformed, else fields of the input."""

    call: DialogueCall
    request: ToolRequest
    prepared: PreparedRequest | None
    invalid_fields: tuple[str, ...] = ()


def normalised_calls(message: AIMessage, dialogue: Sequence[DialogueMessage]) -> list[DialogueCall]:
    """Valid and malformed calls alike, each with an id that is new in the run (C2.5) and object
    arguments, so that every provider accepts the history."""
    used = {call["id"] for entry in dialogue for call in entry.get("tool_calls", [])}
    calls: list[DialogueCall] = []
    room = MAX_ARGUMENT_CHARS
    for raw in _in_order(message):
        calls.append(_normalised(raw.get("id"), raw.get("name"), raw.get("args"), used, room))
        room -= len(canonical_json(calls[-1]["args"]))
    return calls


def last_calls(dialogue: Sequence[DialogueMessage]) -> list[DialogueCall]:
    """The calls of the latest assistant message."""
    latest: DialogueMessage = next(entry for entry in reversed(dialogue) if entry["kind"] == "ai")
    return latest["tool_calls"]


def read_call(parts: Parts, call: DialogueCall) -> ReadCall:
    """The call against its tool's own schema: what the gate decides on (C2.2)."""
    envelope = parse_envelope(None if call["malformed"] else call["args"])
    tool = parts.tools.get(call["name"])
    prepared: PreparedRequest | InvalidInput | None = None
    if tool is not None and envelope.input is not None:
        prepared = prepare_request(tool, envelope.input)
    accepted = prepared if isinstance(prepared, PreparedRequest) else None
    invalid = prepared.fields if isinstance(prepared, InvalidInput) else envelope.malformed
    return ReadCall(call, _request(call, tool is not None, envelope, accepted), accepted, invalid)


def is_tool_name(name: Any) -> bool:
    """Whether every provider and the trace can spell the name; `unknown` stands for all others."""
    return isinstance(name, str) and bool(_NAME.match(name)) and name != UNKNOWN_TOOL_NAME


def known_name(parts: Parts, name: str) -> str:
    """A registered tool's name, or `unknown`: other names are text that the model chose (C7)."""
    return name if name in parts.tools else UNKNOWN_TOOL_NAME


def _request(
    call: DialogueCall, known: bool, envelope: Envelope, accepted: PreparedRequest | None
) -> ToolRequest:
    return ToolRequest(
        tool_call_id=call["id"],
        tool=call["name"],
        known_tool=known,
        well_formed=envelope.well_formed,
        has_input=envelope.has_input,
        evaluation=envelope.evaluation,
        scope_key=accepted.scope_key if accepted else None,
    )


def _in_order(message: AIMessage) -> Sequence[Mapping[str, Any]]:
    """The calls as they were written: of a stream that broke off in one, a client would complete
    its arguments by guessing (C2.2)."""
    if isinstance(message, AIMessageChunk):
        return [{**call, "args": _decoded(call["args"])} for call in message.tool_call_chunks]
    return [*message.tool_calls, *message.invalid_tool_calls]


def _decoded(written: str | None) -> Any:
    """The object that the arguments are, or None; providers write nothing where a tool takes
    nothing, and models break lines inside strings."""
    try:
        arguments = json.loads(written, strict=False) if written else {}
    except (ValueError, RecursionError):
        return None
    return arguments if isinstance(arguments, dict) else None


def _normalised(call_id: Any, name: Any, arguments: Any, used: set[str], room: int) -> DialogueCall:
    kept = _usable_id(call_id) and call_id not in used
    unique = call_id if kept else f"call_{uuid.uuid4().hex[:16]}"
    used.add(unique)
    fields = _storable(as_object(arguments), room)
    return DialogueCall(
        id=unique,
        name=name if is_tool_name(name) else UNKNOWN_TOOL_NAME,
        args=fields or {},
        malformed=fields is None,
    )


def _usable_id(call_id: Any) -> bool:
    """Whether an observation can repeat the id and a draft can cite it."""
    if not isinstance(call_id, str) or not call_id.strip() or not call_id.isprintable():
        return False
    return len(canonical_json(call_id).encode()) - len('""') <= MAX_ID_BYTES


def _storable(fields: dict[str, Any] | None, room: int) -> dict[str, Any] | None:
    """The arguments as any checkpoint and any provider can spell them, or None."""
    if fields is None:
        return None
    try:
        kept = plain_object(fields)
    except (TypeError, ValueError, RecursionError):
        return None
    return kept if len(canonical_json(kept)) <= room else None
