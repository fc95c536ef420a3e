"""What a tool request says: its evaluation, its input, and what is malformed in it (C2)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graph.contract.vocabulary import InformationGain


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The model's judgement of one earlier observation."""

    tool_call_id: str
    gain: InformationGain


@dataclass(frozen=True, slots=True)
class Envelope:
    """The parsed arguments of a tool call; `well_formed` is false when nothing in it may be used.

    `input` is None when there is none, or when what stands there is not an object.
    """

    well_formed: bool
    has_input: bool = False
    evaluation: Evaluation | None = None
    input: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """One tool call as the gate sees it: names and keys, never argument values.

    `scope_key` is None unless the tool's own schema accepted the input.
    """

    tool_call_id: str
    tool: str
    known_tool: bool
    well_formed: bool = True
    has_input: bool = True
    evaluation: Evaluation | None = None
    scope_key: str | None = None


_MALFORMED = Envelope(well_formed=False)
_GAINS = [gain.value for gain in InformationGain]


def parse_envelope(arguments: Any) -> Envelope:
    """Read the arguments of a tool call. Never raises; JSON strings are decoded first (C2.2)."""
    fields = as_object(arguments)
    if fields is None:
        return _MALFORMED
    previous = fields.get("previous_observation")
    evaluation = _evaluation(previous)
    if previous is not None and evaluation is None:
        return _MALFORMED
    body = fields.get("input")
    return Envelope(True, body is not None, evaluation, as_object(body))


def _evaluation(value: Any) -> Evaluation | None:
    fields = as_object(value) or {}
    call_id, gain = fields.get("tool_call_id"), fields.get("information_gain")
    if isinstance(call_id, str) and gain in _GAINS:
        return Evaluation(call_id, InformationGain(gain))
    return None


def as_object(value: Any) -> dict[str, Any] | None:
    """The object that a value is, or that a JSON string spells; None for everything else."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return value
    return None
