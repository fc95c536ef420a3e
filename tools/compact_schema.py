"""A JSON schema as a model needs it: what says nothing to a model costs tokens in every request.

The tool's own `Input` still checks everything; only what is shown is shorter.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

LONG_TEXT_CHARS = 64
"""A text limit from here on is no advice; constrained decoders unroll it into huge grammars."""

_DATA = frozenset({"default", "const", "enum", "examples"})
_NULL = {"type": "null"}
_DEFINITIONS = "#/$defs/"


def compact_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without derived titles, `null` beside a default of null, limits that no sensible
    request meets, and the ban on undeclared fields, which nobody would guess the names of; a
    definition used once stands where it is used. The argument is left as it was."""
    body = {key: value for key, value in schema.items() if key != "$defs"}
    definitions: dict[str, Any] = schema.get("$defs", {})
    uses = Counter(_references(schema))
    once = {name: part for name, part in definitions.items() if uses[name] == 1}
    shown: dict[str, Any] = _compact(body, once)
    kept = {name: _compact(definitions[name], once) for name in definitions if name not in once}
    return {**shown, "$defs": kept} if kept else shown


def _references(schema: Any) -> Iterator[str]:
    match schema:
        case {"$ref": str(target)} if target.startswith(_DEFINITIONS):
            yield target.removeprefix(_DEFINITIONS)
    for part in _parts(schema):
        yield from _references(part)


def _parts(schema: Any) -> list[Any]:
    if isinstance(schema, dict):
        return [value for key, value in schema.items() if key not in _DATA]
    return schema if isinstance(schema, list) else []


def _compact(schema: Any, once: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_compact(item, once) for item in schema]
    if not isinstance(schema, dict):
        return schema
    schema = _without_null(schema)
    target = schema.get("$ref")
    name = target.removeprefix(_DEFINITIONS) if isinstance(target, str) else None
    if name in once:
        own = {key: value for key, value in schema.items() if key != "$ref"}
        return _compact({**once[name], **own}, {k: v for k, v in once.items() if k != name})
    return {
        key: value if key in _DATA else _compact(value, once)
        for key, value in schema.items()
        if not _says_nothing(key, value)
    }


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """An optional field whose default is null may be left out; that it may be null adds nothing."""
    options = schema.get("anyOf")
    if not isinstance(options, list) or schema.get("default", ...) is not None:
        return schema
    rest = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
    others = [option for option in options if option != _NULL]
    return {**others[0], **rest} if len(others) == 1 else {**rest, "anyOf": others}


def _says_nothing(key: str, value: Any) -> bool:
    """By the type of its value too: `title` may be the name of a field."""
    match key, value:
        case "title", str():
            return True
        case "additionalProperties", False:
            return True
        case "minLength" | "minimum", 0 | 1:
            return True
        case "maxLength", int():
            return value >= LONG_TEXT_CHARS
        case _:
            return False
