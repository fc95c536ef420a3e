"""What a model's exception means: a stable code, and how long the provider asks to wait.

Read from types, status and headers alone: exception text is never looked at.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

_CODES_BY_STATUS = {
    401: "MODEL_ACCESS_DENIED",
    403: "MODEL_ACCESS_DENIED",
    404: "MODEL_NOT_FOUND",
    408: "MODEL_TIMEOUT",
    409: "MODEL_UNAVAILABLE",
    429: "MODEL_RATE_LIMITED",
}
TRANSIENT = frozenset({"MODEL_TIMEOUT", "MODEL_UNAVAILABLE", "MODEL_RATE_LIMITED"})
_BROKEN_OFF = ("Connection", "TransportError", "APIError")
"""In the names of a broken connection's exception and its bases; the last one is what the
provider's client makes of an error that a stream brings after it began."""

_UNREADABLE = (ValueError, LookupError)
"""What clients raise over a body that is no completion: a page, no JSON, no choices."""


@dataclass(frozen=True, slots=True)
class ModelFault:
    """`retry_after_seconds`: what the provider asked for, or None."""

    code: str
    retry_after_seconds: float | None = None

    @property
    def is_transient(self) -> bool:
        """Whether the same request may do better later."""
        return self.code in TRANSIENT


def model_fault(error: BaseException) -> ModelFault:
    """The fault that an exception of any provider's client stands for."""
    return ModelFault(_code(error), _retry_after(error))


def _code(error: BaseException) -> str:
    if isinstance(error, TimeoutError) or "Timeout" in type(error).__name__:
        return "MODEL_TIMEOUT"
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        if status >= 500:
            return "MODEL_UNAVAILABLE"
        return _CODES_BY_STATUS.get(status, "MODEL_REQUEST_REFUSED")
    names = [base.__name__ for base in type(error).__mro__]
    if isinstance(error, ConnectionError) or any(
        word in name for name in names for word in _BROKEN_OFF
    ):
        return "MODEL_UNAVAILABLE"
    if isinstance(error, _UNREADABLE):
        return "MODEL_REPLY_INVALID"
    return "MODEL_FAILED"


def _retry_after(error: BaseException) -> float | None:
    """Seconds from `Retry-After` (a number or a date) or `retry-after-ms`; None without a sound
    one."""
    headers: Any = getattr(getattr(error, "response", None), "headers", None)
    if headers is None:
        return None
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    written = headers.get("retry-after")
    return _number(written) if _number(written) is not None else _until(written)


def _number(written: Any) -> float | None:
    try:
        number = float(written)
    except (TypeError, ValueError):
        return None
    return number if 0 <= number < float("inf") else None


def _until(written: Any) -> float | None:
    try:
        at = parsedate_to_datetime(written)
    except (TypeError, ValueError):
        return None
    aware = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())
