"""The smallest words to tell a run in: an assistant message of one call, and what it is due."""

from tests.contract_rules.oracle import READY, Ask
from tests.contract_rules.world import World

A, B, C = "scope a", "scope b", "scope c"


def begin(patience: int = 2, tolerance: int = 2) -> World:
    return World.begin(patience, tolerance)


def one(world: World, ask: Ask, outcome: str = READY) -> World:
    """An assistant message of one call."""
    return world.message().call(ask, outcome)


def say(world: World, gain: str) -> tuple[str, str]:
    """The evaluation that is due."""
    pending = world.progress["pending"]
    assert pending is not None
    return pending["tool_call_id"], gain


def counters(world: World) -> tuple[int, int, str | None]:
    """No gain in a row, violations in a row, the id that awaits its evaluation."""
    progress = world.progress
    pending = progress["pending"]
    return (
        progress["consecutive_no_gain"],
        progress["consecutive_protocol_violations"],
        pending["tool_call_id"] if pending else None,
    )


def defective(ask: Ask, defect: str) -> Ask:
    """The request with one of `known_tool`, `readable`, `has_input` missing, or as it was."""
    return ask._replace(
        known_tool=defect != "known_tool",
        readable=defect != "readable",
        has_input=defect != "has_input",
    )
