"""Model replies as the provider would give them."""

import json
from typing import Any

from langchain_core.messages import AIMessage

USAGE = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}


def said(text: Any, *, usage: dict[str, Any] | None = USAGE, **fields: Any) -> AIMessage:
    """A reply with a text (or content blocks) and reported usage."""
    return AIMessage(text, usage_metadata=usage, **fields)


def routed(intent: str = "DIAGNOSIS") -> AIMessage:
    """The router's reply."""
    return said(json.dumps({"intent": intent}))


def judged(supported: bool = True) -> AIMessage:
    """The semantic guard's reply."""
    return said(json.dumps({"supported": supported, "reasons": []}))


def asks(*calls: dict[str, Any], text: str = "", usage: dict[str, Any] | None = USAGE) -> AIMessage:
    """A reply that asks for tools."""
    return said(text, tool_calls=list(calls), usage=usage)


def call(
    call_id: str | None,
    keyword: str,
    previous: str | None = None,
    gain: str = "GAINED",
    *,
    tool: str = "query_logs",
    **more: Any,
) -> dict[str, Any]:
    """One tool call; `previous` is the id of the observation that it judges."""
    args: dict[str, Any] = {"input": {"keyword": keyword, **more}}
    if previous is not None:
        args["previous_observation"] = {"tool_call_id": previous, "information_gain": gain}
    return {"id": call_id, "name": tool, "args": args}


def draft(
    conclusion: str | None,
    *citations: tuple[str, str, str],
    missing: list[str] | None = None,
    notes: list[str] | None = None,
    statement: str = "the pool ran dry",
    next_steps: list[str] | None = None,
) -> AIMessage:
    """A final answer whose one claim carries `citations` of (tool call id, evidence id, quote)."""
    cited = [
        {"tool_call_id": call_id, "evidence_id": evidence_id, "quote": quote}
        for call_id, evidence_id, quote in citations
    ]
    value = {
        "conclusion": conclusion,
        "analysis": [{"statement": statement, "citations": cited}] if cited else [],
        "limitations": {"missing_info": missing or [], "notes": notes or []},
        "next_steps": next_steps or [],
    }
    return said(json.dumps(value, ensure_ascii=False))


PROVED = draft("the connection pool is exhausted", ("c1", "e1", "pool exhausted after"))
"""A draft that cites what the keyword `pool` finds under the call id `c1`."""
MISSING_CONTEXT = draft(None, missing=["the company", "the time range"])
