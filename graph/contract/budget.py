"""Whether one more call may be made: every limit is checked before it is spent (C8)."""

from typing import cast

from typing_extensions import TypedDict

from graph.contract.limits import Limits


class Usage(TypedDict):
    """What a run has spent so far. `seconds` counts time inside nodes only."""

    model_calls: int
    tool_calls: int
    input_tokens: int
    output_tokens: int
    total_tokens: int
    usage_unavailable: int
    observation_bytes: int
    seconds: float


class UsageShare(TypedDict, total=False):
    """What one step of a run spent; what is absent is nothing."""

    model_calls: int
    tool_calls: int
    input_tokens: int
    output_tokens: int
    total_tokens: int
    usage_unavailable: int
    observation_bytes: int
    seconds: float


def add_usage(usage: Usage, share: UsageShare) -> Usage:
    """The usage after one more step. Seconds are kept to the microsecond."""
    after = Usage(**usage)
    for key, spent in share.items():
        after[key] = round(after[key] + spent, 6)  # type: ignore[literal-required]
    return after


def spent_since(before: Usage, after: Usage) -> UsageShare:
    """What was spent between two states of a usage."""
    share = {key: round(after[key] - before[key], 6) for key in after}  # type: ignore[literal-required]
    return cast(UsageShare, {key: spent for key, spent in share.items() if spent})


def begin_usage() -> Usage:
    """Nothing spent yet."""
    return Usage(
        model_calls=0,
        tool_calls=0,
        input_tokens=0,
        output_tokens=0,
        total_tokens=0,
        usage_unavailable=0,
        observation_bytes=0,
        seconds=0.0,
    )


def collection_call_allowed(usage: Usage, limits: Limits) -> bool:
    """Whether the router or the agent may call its model: the release reserve is not theirs."""
    available = limits["max_model_calls"] - limits["release_reserve_calls"]
    return usage["model_calls"] < available and _within(usage, limits)


def release_call_allowed(usage: Usage, limits: Limits) -> bool:
    """Whether repair or guard may call its model, reserve included."""
    return usage["model_calls"] < limits["max_model_calls"] and _within(usage, limits)


def tool_call_allowed(usage: Usage, limits: Limits) -> bool:
    """Whether a tool may run, and a model call is left that could use its result (C3 rule 5)."""
    return (
        usage["tool_calls"] < limits["max_tool_calls"]
        and usage["observation_bytes"] < limits["max_run_observation_bytes"]
        and collection_call_allowed(usage, limits)
    )


def observation_bytes_left(usage: Usage, limits: Limits) -> int:
    """How large the next observation may be, in bytes; never below zero.

    Refusals are bytes too and no limit stops them, so a run may have spent more than it may.
    """
    left = limits["max_run_observation_bytes"] - usage["observation_bytes"]
    return max(0, min(limits["max_observation_bytes"], left))


def tokens_left(usage: Usage, limits: Limits) -> int:
    """What the provider may still report; never below zero."""
    return max(0, limits["max_tokens"] - usage["total_tokens"])


def seconds_left(usage: Usage, limits: Limits) -> float:
    """How long the next call may take; never below zero."""
    return max(0.0, limits["max_seconds"] - usage["seconds"])


def _within(usage: Usage, limits: Limits) -> bool:
    return usage["total_tokens"] < limits["max_tokens"] and usage["seconds"] < limits["max_seconds"]
