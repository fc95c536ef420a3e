"""How a tool is offered to a model: its own typed envelope as a function schema (C2)."""

from typing import Any

from tools.compact_schema import compact_schema
from tools.evidence import EvidenceTool

# what a gain is the diagnosis prompt says, once; when to leave it out the field itself says (C2.1)
_PREVIOUS_OBSERVATION: dict[str, Any] = {
    "type": "object",
    "description": (
        "Judges the last evidence. Leave out on the first call, and after an empty, failed or"
        " refused one."
    ),
    "properties": {
        "tool_call_id": {"type": "string"},
        "information_gain": {"type": "string", "enum": ["GAINED", "NO_GAIN"]},
    },
    "required": ["tool_call_id", "information_gain"],
}


def function_schema(tool: EvidenceTool[Any]) -> dict[str, Any]:
    """The tool as an OpenAI-style function: `previous_observation` beside its typed `input`."""
    body = compact_schema(tool.Input.model_json_schema())
    definitions = body.pop("$defs", None)
    parameters: dict[str, Any] = {
        "type": "object",
        "properties": {"previous_observation": _PREVIOUS_OBSERVATION, "input": body},
        "required": ["input"],
    }
    if definitions:
        parameters["$defs"] = definitions
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": parameters,
        },
    }
