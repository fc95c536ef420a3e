"""Whether the audited tokens are the run's tokens (C7.2, C7.3)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graph.audit.events import TraceEvent

_MAX_TOKENS_A_CALL = 2**53


@dataclass(frozen=True, slots=True)
class ReportedUsage:
    """The provider's own numbers for one model call."""

    input_tokens: int
    output_tokens: int
    cached_tokens: int


def read_usage(reported: Mapping[str, Any] | None) -> ReportedUsage | None:
    """What the provider reported; None for anything that is no such report, never an estimate."""
    fields = reported or {}
    inputs, outputs = _tokens(fields.get("input_tokens")), _tokens(fields.get("output_tokens"))
    if inputs is None or outputs is None:
        return None
    if not inputs and not outputs and fields.get("total_tokens"):
        return None  # a total alone: a client spells the parts that it was not told as zero
    details = fields.get("input_token_details")
    cached = details.get("cache_read") if isinstance(details, Mapping) else None
    return ReportedUsage(inputs, outputs, _tokens(cached) or 0)


def _tokens(value: Any) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value < _MAX_TOKENS_A_CALL else None


def audited_tokens(trace: Iterable[TraceEvent]) -> int:
    """The sum of what every model call reported."""
    return sum(
        event["input_tokens"] + event["output_tokens"]
        for event in trace
        if event["type"] == "MODEL_TOKEN_USAGE"
    )


def tokens_reconciled(
    trace: Iterable[TraceEvent], *, total_tokens: int, usage_unavailable: int
) -> bool:
    """True when the audited sum equals the run total and no call went unreported."""
    return usage_unavailable == 0 and audited_tokens(trace) == total_tokens


def count_events(trace: Iterable[TraceEvent], kind: str) -> int:
    """How many events of one type the trace holds."""
    return sum(event["type"] == kind for event in trace)
