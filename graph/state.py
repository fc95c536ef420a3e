"""The state of the graph: what each key holds, and how writes to it combine (C1.2, C1.3).

Everything is JSON-able primitives, so that any checkpoint restores it and Studio shows it.
Nearly everything is written as deltas: a checkpoint then costs what the step added. `begin`
overwrites all of them, which ends the way back that LangGraph walks to rebuild a state.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal, NotRequired, TypeVar

from langchain_core.messages import AnyMessage
from langgraph.channels import DeltaChannel, EphemeralValue
from langgraph.graph.message import Messages, add_messages
from langgraph.managed import RemainingSteps
from typing_extensions import TypedDict

from graph.audit.events import PackedEvent, TraceEvent, unpack_event
from graph.contract.budget import Usage, add_usage
from graph.contract.progress import Event, Progress, fold
from graph.usage_shares import PackedShare, unpack_share
from release.released import Release

SCHEMA_VERSION = 3
"""Of this state and its reducers. Every checkpoint says it; a thread of another one is refused."""
SNAPSHOT_EVERY_UPDATES = 1_000
"""Above the rounds of any run: below it, every snapshot costs the whole list again."""

Item = TypeVar("Item")

Verdict = Literal[
    "DIAGNOSE", "TOOLS_REQUESTED", "ADMITTED", "NEXT_CALL", "ALL_ANSWERED", "STOP", "RELEASE"
]
"""What the last node decided; each router maps it to an edge."""

Ending = Literal[
    "DRAFT", "EMPTY", "CONTROLLED_STOP", "BUDGET", "FAILURE", "OUT_OF_SCOPE", "REFUSED", "CANCELLED"
]
"""Why the run goes to release."""


class ClosedRun(TypedDict):
    """How a run ended that was cut off before its release (C1.6)."""

    release: Release
    trace: list[TraceEvent]


class Run(TypedDict):
    """What a run rests on, fixed by `begin` (C1.5).

    `run_key`: the run's own secret, for marks of masked text and keys of records; never shown.
    `closed_run`: the run before it, where that one was cut off and had to be closed.
    """

    run_id: str
    run_key: NotRequired[str]
    session_id: str
    asked_at: str
    time_zone: str
    language: Literal["zh", "en"]
    schema_version: int
    prompt_version: str
    closed_run: ClosedRun | None
    released: bool


def run_key(run: Run) -> str:
    """The run's secret; a run that an earlier version began has its id alone."""
    return run.get("run_key", run["run_id"])


class DialogueCall(TypedDict):
    """One tool call as the dialogue keeps it: arguments are an object always.

    `malformed`: what the model sent as arguments was no object; `args` is then empty.
    """

    id: str
    name: str
    args: dict[str, Any]
    malformed: bool


class DialogueMessage(TypedDict, total=False):
    """One step of the exchange: the model's (`ai`) or an observation (`tool`).

    The key is not called `type`: LangGraph turns dicts that look like messages into messages.
    """

    kind: Literal["ai", "tool"]
    content: str
    tool_calls: list[DialogueCall]
    tool_call_id: str
    name: str


class AppliedEvaluation(TypedDict):
    """The evaluation an earlier call of the same message carried (C2.4)."""

    tool_call_id: str
    information_gain: str


class TurnState(TypedDict):
    """Where the gate stands in the last assistant message, and how the run goes on.

    `steps_left`: the recursion steps when the last node ran; a jump means a resumed run.
    """

    call: int
    closed: bool
    applied: AppliedEvaluation | None
    held: dict[str, Any] | None
    """The observation that STOP_REQUIRED will complete, not yet in the dialogue."""
    verdict: Verdict
    ending: Ending | None
    failure_code: str | None
    steps_left: int
    shortened: NotRequired[int]
    """How many of the dialogue's observations the model is shown shortened, the oldest first."""


class TurnChange(TypedDict, total=False):
    """What a node changes in the turn; the rest stays as it is."""

    call: int
    closed: bool
    applied: AppliedEvaluation | None
    held: dict[str, Any] | None
    verdict: Verdict
    ending: Ending | None
    failure_code: str | None
    steps_left: int
    shortened: int


class AgentStep(TypedDict):
    """One round of the agent's model; `token_count` is None when the provider reported nothing."""

    round: int
    action: Literal["TOOL_CALLS", "DRAFT", "EMPTY"]
    tool_names: list[str]
    token_count: int | None


def append(current: list[Item], writes: Sequence[Sequence[Item]]) -> list[Item]:
    """Reducer: every write is a list of further items."""
    return [*current, *(item for write in writes for item in write)]


def record(current: list[TraceEvent], writes: Sequence[Sequence[PackedEvent]]) -> list[TraceEvent]:
    """Reducer: every write is a list of further events, packed."""
    packed = (event for write in writes for event in write)
    further = enumerate(packed, start=len(current) + 1)
    return [*current, *(unpack_event(event, seq=seq) for seq, event in further)]


def advance(current: Progress, writes: Sequence[Sequence[Event]]) -> Progress:
    """Reducer: every write is a list of progress events; the contract's fold counts them."""
    return fold(current, (event for write in writes for event in write))


def spend(current: Usage, writes: Sequence[PackedShare]) -> Usage:
    """Reducer: every write is what one node spent, packed."""
    return reduce(add_usage, map(unpack_share, writes), current)


def change(current: dict[str, Any], writes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Reducer: every write is the fields that changed."""
    return reduce(or_, writes, current)


def publish(current: list[AnyMessage], writes: Sequence[Messages]) -> list[AnyMessage]:
    """Reducer: LangGraph's own for messages, a write at a time."""
    return reduce(add_messages, writes, current)  # type: ignore[arg-type]


def _delta(reducer: Callable[[Any, Any], Any], kind: type[Any]) -> DeltaChannel[Any]:
    return DeltaChannel(reducer, kind, snapshot_frequency=SNAPSHOT_EVERY_UPDATES)


class _Messages(TypedDict):
    messages: Annotated[list[AnyMessage], _delta(publish, list)]


class InputState(_Messages, total=False):
    """What a caller gives: the user's message, an alert, or both.

    `alert`: the webhook payload of Alertmanager or Grafana as it is. `begin` makes it part of the
    question; no later run of the thread meets it.
    """

    alert: Annotated[dict[str, Any] | None, EphemeralValue]


class OutputState(_Messages):
    """What a caller gets back."""

    release: Release | None
    progress: Annotated[Progress, _delta(advance, dict)]
    usage: Annotated[Usage, _delta(spend, dict)]
    steps: Annotated[list[AgentStep], _delta(append, list)]
    trace: Annotated[list[TraceEvent], _delta(record, list)]


class State(OutputState, InputState):
    """All that a checkpoint holds. `messages` never sees the dialogue (C1.3)."""

    dialogue: Annotated[list[DialogueMessage], _delta(append, list)]
    run: Annotated[Run, _delta(change, dict)]
    turn: Annotated[TurnState, _delta(change, dict)]
    remaining_steps: RemainingSteps


class Update(TypedDict, total=False):
    """What a node may write: what it adds. The values that `begin` writes stand alone."""

    messages: list[AnyMessage]
    release: Release | None
    progress: Any
    usage: Any
    steps: list[AgentStep]
    trace: Any
    dialogue: list[DialogueMessage]
    run: Any
    turn: TurnChange
