"""What the gate may say of a tool request: a closed sum of verdicts, and what goes with one."""

from dataclasses import dataclass, field
from typing import TypeAlias

from graph.contract.envelope import Evaluation
from graph.contract.progress import Event
from graph.contract.vocabulary import InformationGain, Judge, StopReason, Violation


@dataclass(frozen=True, slots=True)
class Turn:
    """Where in one assistant message the gate stands (C2.4).

    `closed`: an earlier call of the message left an evaluation pending or was a violation.
    `applied`: the evaluation that an earlier call of the message carried.
    """

    closed: bool = False
    applied: Evaluation | None = None


@dataclass(frozen=True, slots=True)
class Admit:
    """The tool runs."""

    scope_key: str


@dataclass(frozen=True, slots=True)
class Repair:
    """The request is refused with a repairable observation."""

    violation: Violation
    expected_tool_call_id: str | None
    consecutive: int


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The scope has its result already: it is named, not fetched again."""

    earlier_id: str
    empty: bool


@dataclass(frozen=True, slots=True)
class KnownFailure:
    """The scope failed twice: answered from its record."""

    scope_key: str


@dataclass(frozen=True, slots=True)
class Skip:
    """A later call of a closed message: answered, and nothing changes."""


@dataclass(frozen=True, slots=True)
class Stop:
    """STOP_REQUIRED is due on this refused request."""

    reason: StopReason
    violation: Violation | None = None


@dataclass(frozen=True, slots=True)
class End:
    """Collection is over without another model round."""

    reason: StopReason


Verdict: TypeAlias = Admit | Repair | Duplicate | KnownFailure | Skip | Stop | End


@dataclass(frozen=True, slots=True)
class GainJudged:
    """An information gain that the decision assigned, for the trace."""

    tool_call_id: str
    gain: InformationGain
    by: Judge
    consecutive_no_gain: int
    collection_state: str


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict, the progress events that go with it, and the turn as it stands afterwards."""

    verdict: Verdict
    events: tuple[Event, ...] = ()
    judged: tuple[GainJudged, ...] = ()
    turn: Turn = field(default_factory=Turn)
