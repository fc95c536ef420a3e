"""The closed sets of words the contract speaks in (C0)."""

from enum import StrEnum


class InformationGain(StrEnum):
    GAINED = "GAINED"
    NO_GAIN = "NO_GAIN"


class Judge(StrEnum):
    """Who assigned an information gain (C7)."""

    MODEL = "MODEL"
    HARNESS = "HARNESS"


class CollectionState(StrEnum):
    COLLECTING = "COLLECTING"
    SATURATED = "SATURATED"


class StopReason(StrEnum):
    """Why collection ended against the model's wish."""

    INFORMATION_SATURATED = "INFORMATION_SATURATED"
    PROGRESS_PROTOCOL_VIOLATED = "PROGRESS_PROTOCOL_VIOLATED"
    BUDGET_LIMIT_REACHED = "BUDGET_LIMIT_REACHED"


class Violation(StrEnum):
    """How a request breaks the envelope protocol, in order of precedence (C2.2)."""

    UNKNOWN_TOOL = "UNKNOWN_TOOL"
    INVALID_ENVELOPE = "INVALID_ENVELOPE"
    MISSING_INPUT = "MISSING_INPUT"
    MISSING_PREVIOUS_OBSERVATION = "MISSING_PREVIOUS_OBSERVATION"
    OUT_OF_ORDER_PREVIOUS_OBSERVATION = "OUT_OF_ORDER_PREVIOUS_OBSERVATION"
    UNEXPECTED_PREVIOUS_OBSERVATION = "UNEXPECTED_PREVIOUS_OBSERVATION"
    INVALID_INPUT = "INVALID_INPUT"


class Rejection(StrEnum):
    """Why a request was refused, as the model and the trace are told (C4)."""

    INVALID_PROGRESS_PROTOCOL = "INVALID_PROGRESS_PROTOCOL"
    DUPLICATE_SCOPE = "DUPLICATE_SCOPE"
    STOP_REQUIRED = "STOP_REQUIRED"
    NOT_EXECUTED = "NOT_EXECUTED"
    BUDGET_LIMIT_REACHED = "BUDGET_LIMIT_REACHED"


class Component(StrEnum):
    """Who calls a model (C7.2)."""

    ROUTER = "ROUTER"
    DIAGNOSIS_AGENT = "DIAGNOSIS_AGENT"
    EVIDENCE_REPAIR = "EVIDENCE_REPAIR"
    SEMANTIC_GUARD = "SEMANTIC_GUARD"
