"""How a tool is offered to a model: a typed envelope as a function schema (C2)."""

import json
from enum import StrEnum
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

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
    # C2: two properties, the tool's own schema under `input`, as a model needs it
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
                            "level": {"type": "string", "enum": ["INFO", "ERROR"]},
                            "window_list": {
                                "type": "array",
                                "items": {
                                    "type": "object",
                                    "properties": {
                                        "start": {"type": "string", "description": "ISO 8601"}
                                    },
                                    "required": ["start"],
                                },
                            },
                        },
                        "required": ["window_list"],
                    }
                },
                "required": ["input"],
            },
        },
    }
    assert previous["type"] == "object"


def test_a_schema_without_references_has_no_definitions():
    parameters = function_schema(KeywordSource())["function"]["parameters"]
    assert set(parameters) == {"type", "properties", "required"}


def test_binding_twice_gives_the_same_schema():
    # C9: the prefix of every request stays byte for byte
    tool = Nested()
    assert json.dumps(function_schema(tool)) == json.dumps(function_schema(tool))


class Node(BaseModel):
    name: str
    children: list["Node"] = []
    home: Window | None = None


class Tree(EvidenceTool[Any]):
    name, description = "tree", "Looks into trees."

    class Input(BaseModel):
        """The roots."""

        left: Node
        right: Node
        span: int | str | None = Field(default=None, ge=0, description="a number or a word")
        text: str = Field(default="all", min_length=1, max_length=500)
        code: str = Field(min_length=2, max_length=8)
        options: dict[str, Any] = {"title": "kept", "maxLength": 500}

    async def search(self, request: Any) -> ToolResult:
        """Never called here."""
        raise NotImplementedError


def test_what_is_used_more_than_once_is_defined_once_and_data_is_left_alone():
    parameters = function_schema(Tree())["function"]["parameters"]
    assert list(parameters["$defs"]) == ["Node"]
    node = parameters["$defs"]["Node"]["properties"]
    assert node["children"]["items"] == {"$ref": "#/$defs/Node"}
    assert node["home"]["properties"]["start"]["type"] == "string"
    shown = parameters["properties"]["input"]["properties"]
    assert shown["left"] == shown["right"] == {"$ref": "#/$defs/Node"}
    assert shown["options"]["default"] == {"title": "kept", "maxLength": 500}


def test_limits_that_help_to_ask_are_shown_and_others_are_not():
    shown = function_schema(Tree())["function"]["parameters"]["properties"]["input"]["properties"]
    assert shown["code"] == {"type": "string", "minLength": 2, "maxLength": 8}
    assert shown["text"] == {"type": "string", "default": "all"}
    assert [option["type"] for option in shown["span"]["anyOf"]] == ["integer", "string"]
    assert shown["span"]["description"] == "a number or a word"


def test_what_is_not_shown_is_still_checked():
    # C2.2
    with pytest.raises(ValidationError):
        Nested.Input.model_validate({"window_list": [], "undeclared": 1})
    with pytest.raises(ValidationError):
        Tree.Input.model_validate({"text": "x" * 501})
