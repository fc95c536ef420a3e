"""What each component's reply may be asked to look like on the wire (`response_format`).

It only helps a model along: every reply is read as text and checked again, whatever was asked.
"""

from typing import Any, assert_never

from graph.model_settings import ComponentName
from graph.provider_presets import DraftFormat


def _object(**properties: Any) -> dict[str, Any]:
    """Every key is required and no other allowed: what strict servers insist on."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_CITATION = _object(tool_call_id=_TEXT, evidence_id=_TEXT, quote=_TEXT)
_CLAIM = _object(statement=_TEXT, citations={"type": "array", "items": _CITATION})
_DRAFT = _object(
    conclusion={"type": ["string", "null"]},
    analysis={"type": "array", "items": _CLAIM},
    limitations=_object(missing_info=_TEXTS, notes=_TEXTS),
    next_steps=_TEXTS,
)
_INTENT = _object(intent={"type": "string", "enum": ["DIAGNOSIS", "OUT_OF_SCOPE"]})
_VERDICT = _object(supported={"type": "boolean"}, reasons=_TEXTS)

_SCHEMAS: dict[ComponentName, dict[str, Any]] = {
    "agent": _DRAFT,
    "router": _INTENT,
    "evidence_repair": _DRAFT,
    "semantic_guard": _VERDICT,
}


def reply_schema(component: ComponentName) -> dict[str, Any]:
    """The JSON schema of the component's reply."""
    return _SCHEMAS[component]


def response_format(component: ComponentName, wanted: DraftFormat) -> dict[str, Any] | None:
    """The field of the request; None where none is sent."""
    match wanted:
        case "text":
            return None
        case "json_object":
            return {"type": "json_object"}
        case "json_schema":
            named = {"name": component, "strict": True, "schema": reply_schema(component)}
            return {"type": "json_schema", "json_schema": named}
        case _ as unreachable:
            assert_never(unreachable)
