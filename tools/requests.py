"""From a tool call's `input` to the query that would run: validated, canonical (C2.2, C5.3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from tools.evidence import EvidenceTool, ToolFailure
from tools.scope import canonical_text_fields, scope_key


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
        request = tool.Input.model_validate(dict(values))
    except (ValidationError, RecursionError) as error:
        return InvalidInput(_declared_fields(tool, error))
    scope, failure = _scope(tool, request)
    return PreparedRequest(
        request=_canonical_request(tool, request, scope),
        scope=scope,
        scope_key=scope_key(tool.name, scope),
        failure=failure,
    )


def _scope(
    tool: EvidenceTool[Any], request: BaseModel
) -> tuple[dict[str, Any], ToolFailure | None]:
    try:
        return tool.scope(request), None
    except ToolFailure as failure:
        return canonical_text_fields(request), failure
    except Exception:  # noqa: BLE001 - a plugged-in tool's own code; it ends as a named failure
        return canonical_text_fields(request), ToolFailure("SCOPE_FAILED", retryable=False)


def _canonical_request(
    tool: EvidenceTool[Any], request: BaseModel, scope: dict[str, Any]
) -> BaseModel:
    """The request rebuilt from its scope; a scope with keys of its own leaves it as it was."""
    try:
        return tool.Input.model_validate(scope)
    except (ValidationError, RecursionError):
        return request


def _declared_fields(
    tool: EvidenceTool[Any], error: ValidationError | RecursionError
) -> tuple[str, ...]:
    if isinstance(error, RecursionError):
        return ()
    declared = tool.Input.model_fields
    names = {str(detail["loc"][0]) for detail in error.errors() if detail["loc"]}
    return tuple(sorted(names & set(declared)))
