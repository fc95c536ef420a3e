"""What one run may spend and how patient it is; copied into the run at its begin (C3.7, C8)."""

from typing_extensions import TypedDict


class Limits(TypedDict):
    """Fixed for a run. Counts, UTF-8 bytes, tokens and seconds; a limit of N allows N."""

    stop_after_consecutive_no_gain: int
    stop_after_consecutive_protocol_violations: int
    max_model_calls: int
    release_reserve_calls: int
    max_tool_calls: int
    max_tokens: int
    max_observation_bytes: int
    max_run_observation_bytes: int
    max_seconds: float
    tool_timeout_seconds: float
