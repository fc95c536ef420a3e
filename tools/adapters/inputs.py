"""A typed `Input` from a tool's own argument schema: a Pydantic model, or a JSON schema as MCP has.

The model is shown the tool's schema word for word. Names, required ones and plain types are held
here (C2.2: `INVALID_INPUT`); what is nested deeper is the tool's own to refuse.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, cast

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, create_model

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

_TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    # a whole number stays one: a server may read it into an integer
    "number": int | float,
    "boolean": bool,
    "array": list[Any],
    "object": dict[str, Any],
    "null": None,
}


_COMBINED = frozenset({"anyOf", "oneOf", "allOf"})
# what LangChain's own call takes for itself: an argument of that name would be lost on the way
_LANGCHAINS_OWN = frozenset({"config", "run_manager", "runtime", "self"})


class _Closed(BaseModel):
    """Last among the bases, so that its configuration wins: no unknown argument slips through."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=())


def input_model(tool: "BaseTool") -> type[BaseModel]:
    """The arguments a model may give the tool, without those a host injects. Raises ValueError for
    a schema that cannot be resolved, or whose arguments would not arrive."""
    schema = tool.tool_call_schema
    if isinstance(schema, dict):
        model = model_of_json_schema(schema)
        if lost := sorted(_LANGCHAINS_OWN & set(schema.get("properties") or ())):
            raise ValueError(f"{tool.name}: LangChain passes on no argument named {lost[0]}")
        return model
    if not issubclass(schema, BaseModel):
        raise TypeError(f"the arguments of {tool.name} need a Pydantic 2 model or a JSON schema")
    return create_model("Input", __base__=(schema, _Closed))


def given_values(request: BaseModel, *, mode: Literal["json", "python"]) -> dict[str, Any]:
    """The arguments by the tool's names: defaults filled in, those without one left out."""
    optional = {
        name
        for name, field in type(request).model_fields.items()
        if field.default_factory is _absent and name not in request.model_fields_set
    }
    return request.model_dump(mode=mode, by_alias=True, exclude=optional)


def _absent() -> None:
    """Marks an argument that may be missing and then is not sent: not even as null."""


def model_of_json_schema(schema: Mapping[str, Any]) -> type[BaseModel]:
    """Shown as the schema says, references resolved. A schema that combines others at its top
    (`anyOf`, `oneOf`, `allOf`) is shown whole, and its arguments are the tool's own to check."""
    whole = _resolved(schema)
    properties = whole.get("properties") or {}
    if _COMBINED & whole.keys():
        return _shown_as(whole)
    required = set(whole.get("required") or ())
    fields = {
        _field_name(name): _field(name, definition, required=name in required)
        for name, definition in properties.items()
    }
    model = create_model("Input", __base__=_Closed, **cast("dict[str, Any]", fields))
    if whole.get("additionalProperties") not in (None, False):
        return create_model("Input", __base__=(model, _Open))
    return model


def _resolved(schema: Mapping[str, Any]) -> dict[str, Any]:
    """With every reference in place of itself; one that leads back into itself allows anything."""
    from langchain_core.utils.json_schema import dereference_refs

    try:
        whole = dereference_refs(dict(schema))
    except (KeyError, TypeError, ValueError, RecursionError):
        raise ValueError("its argument schema refers to what is not in it") from None
    return {key: value for key, value in whole.items() if key not in ("$defs", "definitions")}


def _shown_as(whole: dict[str, Any]) -> type[BaseModel]:
    def replaced(shown: dict[str, Any]) -> None:
        shown.clear()
        shown.update(whole)

    kind = ConfigDict(extra="allow", json_schema_extra=replaced)
    return create_model("Input", __config__=kind)


class _Open(BaseModel):
    """For a tool that states that it takes arguments beyond those it names."""

    model_config = ConfigDict(extra="allow")


def _field_name(name: str) -> str:
    """Python's name for an argument: its own, unless a model has a member or a rule against it."""
    return f"argument_{name}" if hasattr(BaseModel, name) or name.startswith("_") else name


def _field(name: str, definition: Any, *, required: bool) -> tuple[Any, Any]:
    shown = definition if isinstance(definition, dict) else {}
    kind = _type_of(shown)
    annotation = Annotated[kind, WithJsonSchema(shown)]  # type: ignore[valid-type]  # made here
    alias = None if _field_name(name) == name else name
    if required:
        return annotation, Field(alias=alias)
    if "default" in shown:
        return annotation, Field(default=shown["default"], alias=alias)
    return annotation, Field(default_factory=_absent, alias=alias)


def _type_of(definition: Mapping[str, Any]) -> Any:
    choices = definition.get("enum")
    if choices and all(isinstance(choice, str) for choice in choices):
        return Literal[tuple(choices)]
    if isinstance(variants := definition.get("anyOf"), list):
        return Union[tuple(map(_type_of, variants))]  # noqa: UP007 - built at run time
    kinds = definition.get("type")
    types = [_TYPES.get(str(kind), Any) for kind in (kinds if isinstance(kinds, list) else [kinds])]
    if definition.get("nullable") is True:
        types.append(None)
    return Union[tuple(types)]  # noqa: UP007 - built at run time
