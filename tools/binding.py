"""How a tool is offered to a model: its own typed envelope as a function schema (C2)."""

from typing import Any

from tools.evidence import EvidenceTool

_PREVIOUS_OBSERVATION: dict[str, Any] = {
    "type": "object",
    "description": (
        "Your judgement of the last evidence you received, before this new query. Required when"
        " that evidence was found and not judged yet. Leave it out on the first call, and after"
        " an empty, failed or refused one."
    ),
    "properties": {
        "tool_call_id": {
            "type": "string",
            "description": "The tool_call_id of that last evidence.",
        },
        "information_gain": {
            "type": "string",
            "enum": ["GAINED", "NO_GAIN"],
            "description": (
                "GAINED when it confirmed, ruled out or narrowed a hypothesis; else NO_GAIN."
            ),
        },
    },
    "required": ["tool_call_id", "information_gain"],
    "additionalProperties": False,
}


def function_schema(tool: EvidenceTool[Any]) -> dict[str, Any]:
    """The tool as an OpenAI-style function: `previous_observation` beside its typed `input`."""
    body = tool.Input.model_json_schema()
    definitions = body.pop("$defs", None)
    parameters: dict[str, Any] = {
        "type": "object",
        "properties": {
            "previous_observation": _PREVIOUS_OBSERVATION,
            "input": _without_titles(body),
        },
        "required": ["input"],
        "additionalProperties": False,
    }
    if definitions:
        parameters["$defs"] = _without_titles(definitions)
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": parameters,
        },
    }


def _without_titles(schema: Any) -> Any:
    """Titles that pydantic derives from names say nothing and cost tokens in every request."""
    if isinstance(schema, dict):
        return {
            key: _without_titles(value)
            for key, value in schema.items()
            if not (key == "title" and isinstance(value, str))
        }
    if isinstance(schema, list):
        return [_without_titles(item) for item in schema]
    return schema
