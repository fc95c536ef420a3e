"""Whether the audited tokens are the run's tokens (C7.2, C7.3)."""

from collections.abc import Iterable

from graph.audit.events import TraceEvent


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
