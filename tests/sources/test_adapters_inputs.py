"""What a foreign tool may be asked: its own schema, held before anything is called (C2.2)."""

from typing import Annotated, Any

import pytest
from langchain_core.tools import BaseTool, InjectedToolArg, StructuredTool
from pydantic import BaseModel, Field, ValidationError

from tests.sources.foreign_tools import ask
from tools.adapters import as_evidence_tool

MCP_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "service": {"type": "string", "description": "Service name"},
        "schema": {"type": "string"},
        "limit": {"type": "integer", "default": 5},
        "level": {"type": "string", "enum": ["ERROR", "WARN"]},
        "tenant": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        "window": {"$ref": "#/$defs/Window"},
    },
    "required": ["service"],
    "$defs": {"Window": {"type": "object", "properties": {"hours": {"type": "integer"}}}},
}


def echoing(schema: Any) -> tuple[BaseTool, list[dict[str, Any]]]:
    calls: list[dict[str, Any]] = []

    async def call(**arguments: Any) -> str:
        calls.append(arguments)
        return "ok"

    tool = StructuredTool(name="echo", description="Echo.", args_schema=schema, coroutine=call)
    return tool, calls


async def test_arguments_of_a_json_schema_arrive_as_they_were_given() -> None:
    base_tool, calls = echoing(MCP_SCHEMA)
    tool = as_evidence_tool(base_tool)
    await ask(tool, service=" shop ", schema="public", window={"hours": 2})
    # defaults filled in, texts trimmed, an optional argument that is not given is not sent
    assert calls == [
        {"service": "shop", "schema": "public", "limit": 5, "tenant": None, "window": {"hours": 2}}
    ]
    request = tool.Input.model_validate({"service": "shop"})
    assert tool.scope(request) == {"service": "shop", "limit": 5, "tenant": None}
    assert tool.scope(tool.Input.model_validate({"limit": 5, "service": "shop "})) == tool.scope(
        request
    )


def test_the_model_sees_the_json_schema_of_the_tool() -> None:
    shown = as_evidence_tool(echoing(MCP_SCHEMA)[0]).Input.model_json_schema()
    assert list(shown["properties"]) == ["service", "schema", "limit", "level", "tenant", "window"]
    assert shown["properties"]["service"]["description"] == "Service name"
    assert shown["properties"]["window"]["properties"] == {"hours": {"type": "integer"}}
    assert shown["required"] == ["service"]
    assert shown["additionalProperties"] is False


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"service": 5},
        {"service": "shop", "limit": "many"},
        {"service": "shop", "level": "FATAL"},
        {"service": "shop", "window": "2h"},
        {"service": "shop", "tenant": 7},
        {"service": "shop", "other": 1},
    ],
)
def test_arguments_outside_the_json_schema_are_invalid(arguments: dict[str, Any]) -> None:
    # C2.2: INVALID_INPUT is the schema's, before anything is called
    with pytest.raises(ValidationError):
        as_evidence_tool(echoing(MCP_SCHEMA)[0]).Input.model_validate(arguments)


class SearchArguments(BaseModel):
    query: str = Field(min_length=2)
    limit: int = 3
    user: Annotated[str, InjectedToolArg] = "host"


async def test_arguments_of_a_model_are_checked_by_it() -> None:
    base_tool, calls = echoing(SearchArguments)
    tool = as_evidence_tool(base_tool)
    await ask(tool, query="超时")
    assert calls == [{"query": "超时", "limit": 3, "user": "host"}]
    # what a host injects is not the model's to give, and nothing unknown slips through
    assert set(tool.Input.model_fields) == {"query", "limit"}
    for wrong in ({"query": "x"}, {"query": "xy", "user": "me"}, {"query": "xy", "more": 1}):
        with pytest.raises(ValidationError):
            tool.Input.model_validate(wrong)


@pytest.mark.parametrize(
    ("schema", "taken", "refused"),
    [
        ({"type": "object"}, [{}], [{"x": 1}]),
        ({"type": "object", "properties": None, "required": None}, [{}], [{"x": 1}]),
        ({"properties": {"x": True}}, [{"x": [1]}, {}], []),
        (
            {"properties": {"x": {"type": ["integer", "null"]}}},
            [{"x": 1}, {"x": None}],
            [{"x": ""}],
        ),
        (
            {"properties": {"x": {"type": "string", "nullable": True}}},
            [{"x": "a"}, {"x": None}],
            [{"x": 1}],
        ),
        ({"properties": {"x": {"type": "number"}}}, [{"x": 1}, {"x": 1.5}], [{"x": "many"}]),
        ({"properties": {"x": {"enum": [1, "a", None]}}}, [{"x": 1}, {"x": None}], []),
        ({"properties": {"x": {"oneOf": [{"type": "string"}]}}}, [{"x": "a"}], []),
        ({"properties": {"@timestamp": {"type": "string"}}}, [{"@timestamp": "now"}], [{"x": 1}]),
        ({"properties": {"_id": {"type": "string"}}}, [{"_id": "a"}], [{"argument__id": "a"}]),
        ({"properties": {}, "additionalProperties": {"type": "string"}}, [{"any": "thing"}], []),
        (
            {"anyOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]},
            [{"a": 1}, {"b": 1}],
            [],
        ),
    ],
)
async def test_odd_schemas_take_what_they_say(
    schema: dict[str, Any], taken: list[dict[str, Any]], refused: list[dict[str, Any]]
) -> None:
    base_tool, calls = echoing(schema)
    tool = as_evidence_tool(base_tool)
    for arguments in taken:
        await ask(tool, **arguments)
    assert calls == taken  # a whole number stays one, an absent argument absent
    for arguments in refused:
        with pytest.raises(ValidationError):
            tool.Input.model_validate(arguments)


def test_a_schema_that_leads_back_into_itself_is_shown_up_to_there() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    schema = {"properties": {"first": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}}
    shown = as_evidence_tool(echoing(schema)[0]).Input.model_json_schema()
    assert shown["properties"]["first"]["properties"] == {"next": {}}


def test_a_combined_schema_is_shown_whole() -> None:
    schema = {"type": "object", "oneOf": [{"required": ["a"]}, {"$ref": "#/$defs/B"}]}
    schema["$defs"] = {"B": {"required": ["b"]}}
    shown = as_evidence_tool(echoing(schema)[0]).Input.model_json_schema()
    assert shown["oneOf"] == [{"required": ["a"]}, {"required": ["b"]}]
    assert "properties" not in shown


@pytest.mark.parametrize("reference", ["#/$defs/Missing", "https://example.com/schema.json"])
def test_a_schema_that_is_not_whole_is_refused(reference: str) -> None:
    base_tool, _ = echoing({"properties": {"x": {"$ref": reference}}})
    with pytest.raises(ValueError, match="refers to what is not in it"):
        as_evidence_tool(base_tool)


@pytest.mark.parametrize("name", ["config", "runtime", "run_manager", "self"])
def test_an_argument_that_would_be_lost_is_refused(name: str) -> None:
    # C5.3: LangChain takes these for itself, and the tool would run without what the scope says
    base_tool, _ = echoing({"properties": {name: {"type": "string"}}})
    with pytest.raises(ValueError, match=f"passes on no argument named {name}"):
        as_evidence_tool(base_tool)
