"""How a tool is offered to a model: a typed envelope as a function schema (C2)."""

import json
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from tests.fakes.sources import KeywordSource
from tools import EvidenceTool, ToolResult
from tools.binding import function_schema


class Level(StrEnum):
    INFO = "INFO"
    ERROR = "ERROR"


class Window(BaseModel):
    model_config = ConfigDict(extra="forbid")

    start: str = Field(description="ISO 8601")


class Nested(EvidenceTool[Any]):
    """A tool whose arguments refer to other models."""

    name, description = "nested", "Looks into windows."

    class Input(BaseModel):
        """What the docstring says of the arguments."""

        model_config = ConfigDict(extra="forbid")

        title: str = Field(default="", title="Heading", description="a field called title")
        level: Level | None = None
        windows: list[Window] = Field(alias="window_list")

    async def search(self, request: Any) -> ToolResult:
        """Never called here."""
        raise NotImplementedError


def test_the_whole_schema_of_a_tool():
    # C2: two properties, the tool's own schema under `input`, definitions where references look
    function = function_schema(Nested())
    previous = function["function"]["parameters"]["properties"].pop("previous_observation")
    assert function == {
        "type": "function",
        "function": {
            "name": "nested",
            "description": "Looks into windows.",
            "parameters": {
                "type": "object",
                "properties": {
                    "input": {
                        "type": "object",
                        "description": "What the docstring says of the arguments.",
                        "properties": {
                            "title": {
                                "type": "string",
                                "default": "",
                                "description": "a field called title",
                            },
                            "level": {
                                "anyOf": [{"$ref": "#/$defs/Level"}, {"type": "null"}],
                                "default": None,
                            },
                            "window_list": {
                                "type": "array",
                                "items": {"$ref": "#/$defs/Window"},
                            },
                        },
                        "required": ["window_list"],
                        "additionalProperties": False,
                    }
                },
                "required": ["input"],
                "additionalProperties": False,
                "$defs": {
                    "Level": {"type": "string", "enum": ["INFO", "ERROR"]},
                    "Window": {
                        "type": "object",
                        "properties": {"start": {"type": "string", "description": "ISO 8601"}},
                        "required": ["start"],
                        "additionalProperties": False,
                    },
                },
            },
        },
    }
    assert previous["type"] == "object"
    assert previous["additionalProperties"] is False


def test_a_schema_without_references_has_no_definitions():
    parameters = function_schema(KeywordSource())["function"]["parameters"]
    assert set(parameters) == {"type", "properties", "required", "additionalProperties"}


def test_binding_twice_gives_the_same_schema():
    # C9: the prefix of every request stays byte for byte
    tool = Nested()
    assert json.dumps(function_schema(tool)) == json.dumps(function_schema(tool))
