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
    """The parsed arguments of a tool call; `well_formed` is false when nothing in it may be used,
    and `malformed` then names the parts to mend, outermost first (C4).

    `input` is None when there is none, or when what stands there is not an object.
    """

    well_formed: bool
    has_input: bool = False
    evaluation: Evaluation | None = None
    input: Mapping[str, Any] | None = None
    malformed: tuple[str, ...] = ()


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


_GAINS = [gain.value for gain in InformationGain]


def parse_envelope(arguments: Any) -> Envelope:
    """Read the arguments of a tool call. Never raises; JSON strings are decoded first (C2.2)."""
    fields = as_object(arguments)
    if fields is None:
        return Envelope(well_formed=False, malformed=("arguments",))
    previous = fields.get("previous_observation")
    evaluation = _evaluation(previous) if previous is not None else None
    if isinstance(evaluation, tuple):
        return Envelope(well_formed=False, malformed=evaluation)
    body = fields.get("input")
    return Envelope(True, body is not None, evaluation, as_object(body))


def _evaluation(value: Any) -> Evaluation | tuple[str, ...]:
    """The evaluation, or the names of the parts that keep it from being one."""
    fields = as_object(value)
    if fields is None:
        return ("previous_observation",)
    call_id, gain = fields.get("tool_call_id"), fields.get("information_gain")
    if isinstance(call_id, str) and gain in _GAINS:
        return Evaluation(call_id, InformationGain(gain))
    parts = {"tool_call_id": isinstance(call_id, str), "information_gain": gain in _GAINS}
    return tuple(f"previous_observation.{name}" for name, sound in parts.items() if not sound)


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
