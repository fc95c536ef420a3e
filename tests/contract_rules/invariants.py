"""What no step of a run may ever do, whatever gate and oracle agree on (C2.4, C3).

The oracle could share a misreading with the gate; these lines are short enough to be read.
"""

from tests.contract_rules.oracle import FAILED, GAINED
from tests.contract_rules.world import World


def hold(before: World, after: World, outcome: str) -> None:
    """Every invariant over one tool call; `outcome` is what its tool brought, if it ran."""
    word = after.verdict[0]
    executed = after.executions[len(before.executions) :]
    if executed:
        ((scope, _),) = executed
        earlier = [brought for ran, brought in before.executions if ran == scope]
        assert word == "ADMIT", "a tool ran without being admitted"
        assert before.deliveries == 0, "a tool ran after STOP_REQUIRED (C3.1)"
        assert before.progress["stop_reason"] is None, "a tool ran after the stop (C3.3)"
        assert earlier in ([], [FAILED]), "a completed or twice failed scope ran again (C3.4)"
    if word == "REPAIR" or (word == "STOP" and after.verdict[2]):
        _violation_costs_no_gain(before, after)
    assert after.deliveries <= 1, "STOP_REQUIRED twice (C3.9)"
    assert after.deliveries == int(after.progress["stop_delivered"])
    assert before.progress["stop_reason"] in (None, after.progress["stop_reason"]), "C3.9"
    assert before.progress["completed"].items() <= after.progress["completed"].items()
    assert _violations_in_message(after) <= 1, "one message, two violations (C2.4)"
    _nearer_the_stop(before, after, outcome if executed else None)


def distance(world: World) -> int:
    """How many more calls without gain, failure or skip the run can take before its stop.

    Every counted request brings one `NO_GAIN` now or when it is judged, and between two of them
    there is room for one violation less than the threshold. Hence at most
    `tolerance * (patience + 1)` such calls from the start of a run, and from any GAINED on.
    """
    if world.deliveries or world.at == "OVER":
        return 0
    progress, oracle = world.progress, world.oracle
    spent = progress["consecutive_no_gain"] + (progress["pending"] is not None)
    row = progress["consecutive_protocol_violations"]
    return oracle.tolerance * (oracle.patience + 1 - spent) - row


def _nearer_the_stop(before: World, after: World, brought: str | None) -> None:
    """Termination: gain (bounded by scopes), failure (two a scope) and known failure apart."""
    assert (distance(after) == 0) == (after.deliveries == 1 or after.at == "OVER")
    gained = len(_judged(after, GAINED)) > len(_judged(before, GAINED))
    if after.verdict[0] in ("SKIP", "KNOWN_FAILURE") or brought == FAILED or gained:
        return
    assert 0 <= distance(after) < distance(before) or after.at == "OVER", "no nearer to the stop"


def _judged(world: World, gain: str) -> list[tuple[str, ...]]:
    return [fact for fact in world.oracle.sorted["judged"] if fact[2] == gain]


def _violation_costs_no_gain(before: World, after: World) -> None:
    for kept in ("consecutive_no_gain", "pending", "completed", "failures", "collection_state"):
        assert after.progress[kept] == before.progress[kept], f"a violation changed {kept} (C3.2)"


def _violations_in_message(world: World) -> int:
    return sum(fact[0] == "broken" for fact in world.oracle.this_message)
