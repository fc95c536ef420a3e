"""Leaves every state of a run by every abstract request, on the gate and on the oracle (C2, C3).

Two worlds that differ only in the names of scopes and calls are one state, and each is left once.
"""

import copy
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tests.contract_rules.invariants import hold
from tests.contract_rules.oracle import (
    EMPTY,
    FAILED,
    GAINED,
    NO_GAIN,
    READY,
    Ask,
)
from tests.contract_rules.world import World

OUTCOMES = (READY, EMPTY, FAILED)

Shape: TypeAlias = tuple[Any, ...]


def shape(world: World) -> Shape:
    """The world without names: what any two worlds of one state have in common."""
    progress, turn = world.progress, world.turn
    known = Counter(
        "+".join(brought for ran, brought in world.executions if ran == scope)
        for scope in world.oracle.executed
    )
    return (
        progress["stop_reason"],
        progress["consecutive_no_gain"],
        progress["consecutive_protocol_violations"],
        progress["pending"] is not None,
        progress["collection_state"],
        progress["stop_delivered"],
        tuple(sorted(known.items())),
        turn.closed,
        turn.applied.gain if turn.applied else None,
        world.at,
    )


def scopes(world: World) -> Iterator[tuple[str, tuple[str, ...]]]:
    """One scope of each kind there is: new, completed, empty, failed once, failed twice."""
    yield f"scope {len(world.executions)}", OUTCOMES
    completed, failures = world.oracle.completed, world.oracle.failures
    kinds = {empty: scope for scope, (_, empty) in completed.items()}
    yield from ((scope, (READY,)) for scope in kinds.values())
    failed = {times: scope for scope, times in failures.items() if scope not in completed}
    for times, scope in failed.items():
        yield scope, OUTCOMES if times == 1 else (READY,)


def evaluations(world: World) -> Iterator[tuple[str, str] | None]:
    """Absent, right and wrong; the one just applied again, and turned round."""
    pending, applied = world.oracle.pending, world.oracle.applied
    current = (pending, applied[0] if applied else None)
    judged = [call for call, _ in world.oracle.completed.values() if call not in current]
    yield None
    yield (judged[0] if judged else "never seen"), GAINED
    if pending:
        yield pending, GAINED
        yield pending, NO_GAIN
    elif applied:
        yield applied
        yield applied[0], NO_GAIN if applied[1] == GAINED else GAINED


def defects(call_id: str) -> Iterator[Ask]:
    """Each violation that needs no evaluation, with all the later ones along with it (C2.2)."""
    refused = Ask(call_id, None)
    yield refused
    yield refused._replace(has_input=False)
    yield refused._replace(has_input=False, readable=False)
    yield refused._replace(has_input=False, readable=False, known_tool=False)


def asks(world: World) -> Iterator[tuple[Ask, str]]:
    """Every abstract request: each violation kind, each evaluation, each scope, each outcome."""
    call_id = f"call {len(world.oracle.facts)}"
    for says in evaluations(world):
        yield from ((defective._replace(says=says), READY) for defective in defects(call_id))
        for scope, outcomes in scopes(world):
            for outcome in outcomes:
                yield Ask(call_id, scope, says), outcome
            yield Ask(call_id, scope, says, room=False), READY


@dataclass
class Exploration:
    """The ways on from each state, and how many sequences of requests they stand for.

    `sequences` counts every sequence of 1 to `depth` requests, `steps` the ones really played.
    """

    ways: dict[Shape, tuple[Shape, ...]] = field(default_factory=dict)
    states: set[Shape] = field(default_factory=set)
    steps: int = 0
    sequences: int = 0

    def run(self, start: World, depth: int) -> "Exploration":
        layer, counts = {shape(start): start}, Counter({shape(start): 1})
        for _ in range(depth):
            reached: dict[Shape, World] = {}
            for key, world in layer.items():
                if key not in self.ways and world.at != "OVER":
                    self.ways[key] = self._onwards(world, reached)
            following: Counter[Shape] = Counter()
            for key, count in counts.items():
                for target in self.ways.get(key, ()):
                    following[target] += count
            self.sequences += following.total()
            self.states |= reached.keys()
            layer, counts = reached, following
        return self

    def _onwards(self, world: World, reached: dict[Shape, World]) -> tuple[Shape, ...]:
        """A further call of this message, the first call of a new one, or a draft."""
        further = self._calls(world, reached) if world.at == "MESSAGE" else ()
        fresh = world.message()
        key = (shape(fresh), "new message")
        if key not in self.ways:
            over = fresh.draft()
            reached[shape(over)] = over
            self.ways[key] = (*self._calls(fresh, reached), shape(over))
        return further + self.ways[key]

    def _calls(self, world: World, reached: dict[Shape, World]) -> tuple[Shape, ...]:
        before = copy.deepcopy(world.progress)
        targets = []
        for ask, outcome in asks(world):
            after = world.call(ask, outcome)
            hold(world, after, outcome)
            targets.append(shape(after))
            reached.setdefault(targets[-1], after)
        self.steps += len(targets)
        assert world.progress == before, "a step changed the progress it was given"
        return tuple(targets)
