"""The closed set of trace events, each with its own allow-listed fields (C7).

An event can hold ids, registered tool names, codes and counts; there is no field for a text.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, cast

from typing_extensions import TypedDict

Check = Callable[[Any], Any]
PackedEvent = list[Any]

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}\Z")


class TraceEvent(TypedDict, total=False):
    """`seq` counts 1..n without gaps a run, `at` is ISO 8601 UTC; the rest depends on `type`."""

    seq: int
    type: str
    at: str
    session_id: str
    run_id: str
    schema_version: int
    prompt_version: str
    round: int
    intent: str
    readable: bool
    component: str
    component_round: int
    available: bool
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    attempt: int
    action: str
    tool_calls: int
    token_count: int | None
    tool_call_id: str
    tool: str
    error_code: str | None
    violation_type: str | None
    repair_prompt_delivered: bool
    consecutive_protocol_violations: int
    stop_reason: str | None
    status: str
    evidence_status: str | None
    items: int
    bytes: int
    truncated: bool
    duration_ms: int
    reused: bool
    value: str
    by: str
    consecutive_no_gain: int
    collection_state: str
    reason: str
    passed: bool
    codes: list[str]
    supported: bool
    outcome: str
    fallback_type: str | None
    facts: int
    total_tokens: int
    usage_unavailable: int
    tokens_reconciled: bool
    tool_invocations: int
    rejected_requests: int


class RefusedEventError(Exception):
    """An event or field that is not in the allow-list; the audit fails closed."""


def safe_id(value: str) -> str:
    """An id fit for a trace: one that a provider chose freely is replaced by a digest (C7)."""
    if _ID.match(value):
        return value
    digest = hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=8)
    return f"id_{digest.hexdigest()}"


def _identifier(value: Any) -> str:
    if not isinstance(value, str):
        raise RefusedEventError("an id is a text")
    return safe_id(value)


def _code(value: Any) -> str:
    if not isinstance(value, str) or not _CODE.match(value):
        raise RefusedEventError("a code is letters, digits and underscores")
    return str(value)


def _codes(value: Any) -> list[str]:
    return [_code(item) for item in value]


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise RefusedEventError("a count is a whole number from zero")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise RefusedEventError("a flag is true or false")
    return value


def _optional(check: Check) -> Check:
    return lambda value: None if value is None else check(value)


EVENT_FIELDS: Final[Mapping[str, Mapping[str, Check]]] = {
    "RUN_STARTED": {
        "session_id": _identifier,
        "run_id": _identifier,
        "schema_version": _count,
        "prompt_version": _identifier,
    },
    "ROUTING_ATTEMPT": {"round": _count},
    "ROUTING_DECISION": {"round": _count, "intent": _code, "readable": _flag},
    "MODEL_TOKEN_USAGE": {
        "component": _code,
        "component_round": _count,
        "available": _flag,
        "input_tokens": _count,
        "output_tokens": _count,
        "cached_tokens": _count,
    },
    "MODEL_RETRY": {"component": _code, "attempt": _count, "error_code": _code},
    "AGENT_MODEL_STEP": {
        "round": _count,
        "action": _code,
        "tool_calls": _count,
        "token_count": _optional(_count),
    },
    "TOOL_REQUEST_REJECTED": {
        "tool_call_id": _identifier,
        "tool": _identifier,
        "error_code": _code,
        "violation_type": _optional(_code),
        "repair_prompt_delivered": _flag,
        "consecutive_protocol_violations": _count,
        "stop_reason": _optional(_code),
    },
    "TOOL_INVOCATION": {
        "tool_call_id": _identifier,
        "tool": _identifier,
        "status": _code,
        "evidence_status": _optional(_code),
        "items": _count,
        "bytes": _count,
        "truncated": _flag,
        "duration_ms": _count,
        "error_code": _optional(_code),
        "reused": _flag,
    },
    "TOOL_TAKEN_OVER": {"tool_call_id": _identifier},
    "RUN_RESUMED": {},
    "INFORMATION_GAIN": {
        "tool_call_id": _identifier,
        "value": _code,
        "by": _code,
        "consecutive_no_gain": _count,
        "collection_state": _code,
    },
    "STOP_REQUIRED": {"reason": _code},
    "COLLECTION_STOPPED": {"stop_reason": _code},
    "EVIDENCE_GUARD_INITIAL": {"passed": _flag, "codes": _codes},
    "EVIDENCE_GUARD_FINAL": {"passed": _flag, "codes": _codes},
    "EVIDENCE_REPAIR": {"readable": _flag},
    "SEMANTIC_GUARD": {"supported": _flag, "readable": _flag},
    "RELEASE_DECISION": {
        "outcome": _code,
        "fallback_type": _optional(_code),
        "error_code": _optional(_code),
        "stop_reason": _optional(_code),
        "facts": _count,
    },
    "RUN_FINISHED": {
        "outcome": _code,
        "total_tokens": _count,
        "usage_unavailable": _count,
        "tokens_reconciled": _flag,
        "tool_invocations": _count,
        "rejected_requests": _count,
        "stop_reason": _optional(_code),
    },
}


def pack_event(event: TraceEvent) -> PackedEvent:
    """The event as a checkpoint stores it: the type, POSIX milliseconds, and the values of the
    type's fields in the order of `EVENT_FIELDS`. Its `seq` is its place."""
    values: Mapping[str, Any] = event
    at = round(datetime.fromisoformat(event["at"]).timestamp() * 1000)
    return [event["type"], at, *(values[name] for name in EVENT_FIELDS[event["type"]])]


def unpack_event(packed: PackedEvent, *, seq: int) -> TraceEvent:
    """The event that was packed."""
    kind, at, *values = packed
    fields = dict(zip(EVENT_FIELDS[kind], values, strict=True))
    moment = datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds")
    return cast(TraceEvent, {"seq": seq, "type": kind, "at": moment, **fields})


def failed_invocation(
    tool_call_id: str, tool: str, error_code: str, *, reused: bool
) -> dict[str, Any]:
    """The fields of a TOOL_INVOCATION that brought nothing and took no time of its own."""
    return {
        "tool_call_id": tool_call_id,
        "tool": tool,
        "status": "ERROR",
        "evidence_status": None,
        "items": 0,
        "bytes": 0,
        "truncated": False,
        "duration_ms": 0,
        "error_code": error_code,
        "reused": reused,
    }


def make_event(kind: str, fields: Mapping[str, Any], *, seq: int, at: str) -> TraceEvent:
    """A checked event. Raises `RefusedEventError` for an unknown type or a field not its own."""
    checks = EVENT_FIELDS.get(kind)
    if checks is None or set(checks) != set(fields):
        raise RefusedEventError(f"{kind}: not an event with just these fields")
    checked = {name: check(fields[name]) for name, check in checks.items()}
    return cast(TraceEvent, {"seq": seq, "type": kind, "at": at, **checked})
