"""The words of a release: its lifecycle, its fallback types, what counts as a stable code (C0)."""

import re
from enum import StrEnum

from prompts import Language as Language

_CODE = re.compile(r"[A-Z][A-Z0-9_]{0,63}")


class ReleaseOutcome(StrEnum):
    """The only lifecycle of a run's result."""

    SUCCESS = "SUCCESS"
    FALLBACK = "FALLBACK"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class FallbackType(StrEnum):
    """Why no root cause was released although nothing broke."""

    INSUFFICIENT_EVIDENCE = "INSUFFICIENT_EVIDENCE"
    MISSING_REQUIRED_CONTEXT = "MISSING_REQUIRED_CONTEXT"
    OUT_OF_SCOPE = "OUT_OF_SCOPE"


class QuestionRefusal(StrEnum):
    """Why a question cannot be diagnosed at all; the error code of its FAILED release (C1.5)."""

    QUESTION_MISSING = "QUESTION_MISSING"
    QUESTION_EMPTY = "QUESTION_EMPTY"
    QUESTION_TOO_LONG = "QUESTION_TOO_LONG"
    # an alert given as the question, named by its field that is wrong
    ALERT_INVALID = "ALERT_INVALID"
    ALERT_VERSION_UNSUPPORTED = "ALERT_VERSION_UNSUPPORTED"
    ALERT_STATUS_INVALID = "ALERT_STATUS_INVALID"
    ALERT_ALERTS_INVALID = "ALERT_ALERTS_INVALID"
    ALERT_LABELS_INVALID = "ALERT_LABELS_INVALID"
    ALERT_ANNOTATIONS_INVALID = "ALERT_ANNOTATIONS_INVALID"
    ALERT_STARTS_AT_INVALID = "ALERT_STARTS_AT_INVALID"
    ALERT_ENDS_AT_INVALID = "ALERT_ENDS_AT_INVALID"


class StopReason(StrEnum):
    """Why collection ended against the model's wish; absent when the model ended by itself."""

    INFORMATION_SATURATED = "INFORMATION_SATURATED"
    PROGRESS_PROTOCOL_VIOLATED = "PROGRESS_PROTOCOL_VIOLATED"
    BUDGET_LIMIT_REACHED = "BUDGET_LIMIT_REACHED"


def stable_code(text: str | None, otherwise: str) -> str:
    """`text` if it is an upper snake case code, else `otherwise`: no exception text gets out."""
    return text if text is not None and _CODE.fullmatch(text) else otherwise
