"""What the stop contract asks of a run, a second time and by other means (C2-C4).

Written from the rules alone. Nothing of the product is imported, and nothing is counted on the way:
a run is the plain list of what happened in it, and every figure is read off that list when asked
for. Slow and obvious on purpose; the gate and its fold are compared with it after every step.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

GAINED, NO_GAIN = "GAINED", "NO_GAIN"
READY, EMPTY, FAILED = "READY", "EMPTY", "FAILED"
SATURATED, VIOLATED, BUDGET = (
    "INFORMATION_SATURATED",
    "PROGRESS_PROTOCOL_VIOLATED",
    "BUDGET_LIMIT_REACHED",
)


class Ask(NamedTuple):
    """One tool call. `says` is (id, gain); `scope` is None when the tool's schema refused it;
    `room` tells whether the budgets leave a tool call and a model call after it."""

    id: str
    scope: str | None
    says: tuple[str, str] | None = None
    known_tool: bool = True
    readable: bool = True
    has_input: bool = True
    room: bool = True


class Gain(NamedTuple):
    """An information gain as the trace must state it (C7)."""

    id: str
    value: str
    by: str
    no_gain_in_a_row: int
    state: str


class Reply(NamedTuple):
    """The verdict as a tuple of plain words, and the gains assigned on the way to it."""

    verdict: tuple[object, ...]
    gains: tuple[Gain, ...] = ()


Fact = tuple[str, ...]


@dataclass(frozen=True)
class Oracle:
    """A run as the facts of it, in order. `patience` and `tolerance` are the two thresholds (C3.7).

    Facts: (message), (broken, kind), (kept), (judged, id, gain, by), (ran, id, scope, outcome),
    (stopped, reason), (delivered).
    """

    patience: int
    tolerance: int
    facts: tuple[Fact, ...] = ()

    @cached_property
    def sorted(self) -> dict[str, list[Fact]]:
        """The facts by kind, each kind in order."""
        kinds: dict[str, list[Fact]] = defaultdict(list)
        for fact in self.facts:
            kinds[fact[0]].append(fact)
        return kinds

    @cached_property
    def no_gain_in_a_row(self) -> int:
        """C3 rule 3: judgements since the last GAINED."""
        row = 0
        for fact in self.sorted["judged"]:
            row = 0 if fact[2] == GAINED else row + 1
        return row

    @cached_property
    def violations_in_a_row(self) -> int:
        """C3 rule 2: violations since the last request that kept the protocol."""
        row = 0
        for fact in self.facts:
            if fact[0] == "broken":
                row += 1
            elif fact[0] == "kept":
                row = 0
        return row

    @cached_property
    def pending(self) -> str | None:
        """C2.1: the non-empty result nobody has judged; there is never more than one."""
        judged = {fact[1] for fact in self.sorted["judged"]}
        found = [
            fact[1] for fact in self.sorted["ran"] if fact[3] == READY and fact[1] not in judged
        ]
        assert len(found) <= 1, "a result was left behind without a judgement"
        return found[0] if found else None

    @cached_property
    def completed(self) -> dict[str, tuple[str, bool]]:
        """Scope to (tool call id, whether it was empty) of what completed successfully."""
        return {
            scope: (call_id, outcome == EMPTY)
            for _, call_id, scope, outcome in self.sorted["ran"]
            if outcome != FAILED
        }

    @cached_property
    def failures(self) -> dict[str, int]:
        scopes = [fact[2] for fact in self.sorted["ran"] if fact[3] == FAILED]
        return {scope: scopes.count(scope) for scope in scopes}

    @cached_property
    def executed(self) -> list[str]:
        """Every scope that reached its tool, in the order of its first execution."""
        return list(dict.fromkeys(fact[2] for fact in self.sorted["ran"]))

    @cached_property
    def stop_reason(self) -> str | None:
        """C3.9: the first one wins."""
        reasons = self.sorted["stopped"]
        return reasons[0][1] if reasons else None

    @cached_property
    def state(self) -> str:
        """Only information saturates; other stops leave a run COLLECTING."""
        return "SATURATED" if self.stop_reason == SATURATED else "COLLECTING"

    @cached_property
    def delivered(self) -> bool:
        return bool(self.sorted["delivered"])

    @cached_property
    def this_message(self) -> tuple[Fact, ...]:
        starts = [place for place, fact in enumerate(self.facts) if fact[0] == "message"]
        return self.facts[starts[-1] :] if starts else self.facts

    @cached_property
    def closed(self) -> bool:
        """C2.4: the model could not react to this within its message."""
        return any(
            fact[0] == "broken" or (fact[0] == "ran" and fact[3] == READY)
            for fact in self.this_message
        )

    @cached_property
    def applied(self) -> tuple[str, str] | None:
        """C2.4: the evaluation this message has already carried."""
        own = [fact for fact in self.this_message if fact[0] == "judged" and fact[3] == "MODEL"]
        return (own[0][1], own[0][2]) if own else None

    def plus(self, *facts: Fact) -> "Oracle":
        return Oracle(self.patience, self.tolerance, (*self.facts, *facts))

    def opens_message(self) -> "Oracle":
        return self.plus(("message",))

    def delivers_stop(self) -> "Oracle":
        assert not self.delivered, "STOP_REQUIRED a second time"
        return self.plus(("delivered",))

    def violation(self, ask: Ask) -> str | None:
        """C2.2, first match."""
        says = None if ask.says == self.applied else ask.says
        if not ask.known_tool:
            return "UNKNOWN_TOOL"
        if not ask.readable:
            return "INVALID_ENVELOPE"
        if not ask.has_input:
            return "MISSING_INPUT"
        if self.pending and says is None:
            return "MISSING_PREVIOUS_OBSERVATION"
        if self.pending and says is not None and says[0] != self.pending:
            return "OUT_OF_ORDER_PREVIOUS_OBSERVATION"
        if not self.pending and says is not None:
            return "UNEXPECTED_PREVIOUS_OBSERVATION"
        return "INVALID_INPUT" if ask.scope is None else None

    def asks(self, ask: Ask) -> tuple["Oracle", Reply]:
        """C3: one tool call through the gate."""
        if self.delivered:
            return self, Reply(("END", self.stop_reason))
        if self.closed:
            return self, Reply(("SKIP",))
        kind = self.violation(ask)
        if kind is not None:
            return self._broken(kind)
        return self._kept(ask)

    def _broken(self, kind: str) -> tuple["Oracle", Reply]:
        after = self.plus(("broken", kind))
        row = after.violations_in_a_row
        if row >= self.tolerance:
            return after.plus(("stopped", VIOLATED)), Reply(("STOP", VIOLATED, kind))
        return after, Reply(("REPAIR", kind, self.pending, row))

    def _kept(self, ask: Ask) -> tuple["Oracle", Reply]:
        assert ask.scope is not None
        run, gains = self.plus(("kept",)), []
        if run.pending is not None and ask.says is not None:
            run, gain = run._judged(ask.says[0], ask.says[1], "MODEL")
            gains.append(gain)
        earlier = run.completed.get(ask.scope)
        if run.stop_reason is None and earlier is not None:
            run, gain = run._judged(ask.id, NO_GAIN, "HARNESS")
            gains.append(gain)
        if run.stop_reason is not None:
            return run, Reply(("STOP", SATURATED, None), tuple(gains))
        if earlier is not None:
            return run, Reply(("DUPLICATE", *earlier), tuple(gains))
        if run.failures.get(ask.scope, 0) >= 2:
            return run, Reply(("KNOWN_FAILURE", ask.scope), tuple(gains))
        if not ask.room:
            return run.plus(("stopped", BUDGET)), Reply(("END", BUDGET), tuple(gains))
        return run, Reply(("ADMIT", ask.scope), tuple(gains))

    def _judged(self, call_id: str, gain: str, by: str) -> tuple["Oracle", Gain]:
        after = self.plus(("judged", call_id, gain, by))
        row = after.no_gain_in_a_row
        if row >= self.patience:
            after = after.plus(("stopped", SATURATED))
        return after, Gain(call_id, gain, by, row, after.state)

    def ran(self, call_id: str, scope: str, outcome: str) -> "Oracle":
        """After a tool has run: an empty result is judged at once, a failure never."""
        after = self.plus(("ran", call_id, scope, outcome))
        return after._judged(call_id, NO_GAIN, "HARNESS")[0] if outcome == EMPTY else after
