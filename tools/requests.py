"""From a tool call's `input` to the query that would run: validated, canonical (C2.2, C5.3)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from tools.evidence import EvidenceTool, ToolFailure
from tools.scope import canonical_text_fields, scope_key

_MIN_INTEGER, _MAX_INTEGER = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """A request the tool's schema accepts. With a `failure`, it makes no sense and will not run."""

    request: BaseModel
    scope: dict[str, Any]
    scope_key: str
    failure: ToolFailure | None = None


@dataclass(frozen=True, slots=True)
class InvalidInput:
    """The tool's schema refuses the input; `fields` names declared fields only, never values."""

    fields: tuple[str, ...]


def prepare_request(
    tool: EvidenceTool[Any], values: Mapping[str, Any]
) -> PreparedRequest | InvalidInput:
    """Validate `values`, make their scope, and the request that runs exactly this scope."""
    try:
        request = tool.Input.model_validate(plain_object(values))
        scope, failure = _scope(tool, request)
    except ValidationError as error:
        return InvalidInput(_declared_fields(tool, error))
    except Exception:  # noqa: BLE001 - also a plugged-in schema's own code; it refuses the input
        return InvalidInput(())
    return PreparedRequest(
        request=_canonical_request(tool, request, scope),
        scope=scope,
        scope_key=scope_key(tool.name, scope),
        failure=failure,
    )


def plain_object(value: Any) -> dict[str, Any]:
    """A copy that every store, checkpoint and observation can spell. Raises ValueError, TypeError
    or RecursionError for NaN, lone surrogates, integers beyond 64 bits, and what is no object."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    copied = json.loads(text.encode(), parse_int=_small_integer)
    if not isinstance(copied, dict):
        raise TypeError("not an object")
    return copied


def _small_integer(digits: str) -> int:
    number = int(digits)
    if not _MIN_INTEGER <= number <= _MAX_INTEGER:
        raise ValueError("no checkpoint can hold it")
    return number


def _scope(
    tool: EvidenceTool[Any], request: BaseModel
) -> tuple[dict[str, Any], ToolFailure | None]:
    """The tool's own scope, or the default one with the failure. Raises when neither is plain."""
    try:
        return plain_object(tool.scope(request)), None
    except ToolFailure as raised:
        failure = raised
    except Exception:  # noqa: BLE001 - a plugged-in tool's own code; it ends as a named failure
        failure = ToolFailure("SCOPE_FAILED", retryable=False)
    return plain_object(canonical_text_fields(request)), failure


def _canonical_request(
    tool: EvidenceTool[Any], request: BaseModel, scope: dict[str, Any]
) -> BaseModel:
    """The request rebuilt from its scope; a scope with keys of its own leaves it as it was."""
    if not scope.keys() <= tool.Input.model_fields.keys():
        return request
    try:
        return tool.Input.model_validate(scope, by_alias=True, by_name=True)
    except Exception:  # noqa: BLE001 - a plugged-in schema that does not take its own scope back
        return request


def _declared_fields(tool: EvidenceTool[Any], error: ValidationError) -> tuple[str, ...]:
    declared = {
        name for key, field in tool.Input.model_fields.items() for name in (key, field.alias)
    }
    names = {str(detail["loc"][0]) for detail in error.errors() if detail["loc"]}
    return tuple(sorted(names & declared))
