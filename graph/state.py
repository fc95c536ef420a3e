"""The state of the graph: what each key holds, and how writes to it combine (C1.2, C1.3).

Everything is JSON-able primitives, so that any checkpoint restores it and Studio shows it.
What grows with a run is written as deltas: a checkpoint then costs what the step added.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeVar

from langchain_core.messages import AnyMessage
from langgraph.channels import DeltaChannel
from langgraph.graph.message import add_messages
from langgraph.managed import RemainingSteps
from typing_extensions import TypedDict

from graph.audit.events import TraceEvent
from graph.contract.budget import Usage
from graph.contract.progress import Event, Progress, fold
from release.released import Release

SCHEMA_VERSION = 1
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


class Run(TypedDict):
    """What a run rests on, fixed by `begin` (C1.5)."""

    run_id: str
    session_id: str
    asked_at: str
    time_zone: str
    language: Literal["zh", "en"]
    schema_version: int
    prompt_version: str
    released: bool


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
    """Where the gate stands in the last assistant message, and how the run goes on."""

    call: int
    closed: bool
    applied: AppliedEvaluation | None
    held: dict[str, Any] | None
    """The observation that STOP_REQUIRED will complete, not yet in the dialogue."""
    verdict: Verdict
    ending: Ending | None
    failure_code: str | None


class AgentStep(TypedDict):
    """One round of the agent's model; `token_count` is None when the provider reported nothing."""

    round: int
    action: Literal["TOOL_CALLS", "DRAFT", "EMPTY"]
    tool_names: list[str]
    token_count: int | None


class ClosedRun(TypedDict):
    """How a run ended that was cut off before its release (C1.6)."""

    release: Release
    trace: list[TraceEvent]


def append(current: list[Item], writes: Sequence[Sequence[Item]]) -> list[Item]:
    """Reducer: every write is a list of further items."""
    return [*current, *(item for write in writes for item in write)]


def advance(current: Progress, writes: Sequence[Sequence[Event]]) -> Progress:
    """Reducer: every write is a list of progress events; the contract's fold counts them."""
    return fold(current, (event for write in writes for event in write))


class InputState(TypedDict):
    """What a caller gives: the user's message."""

    messages: Annotated[list[AnyMessage], add_messages]


class OutputState(InputState):
    """What a caller gets back."""

    release: Release | None
    progress: Annotated[
        Progress, DeltaChannel(advance, dict, snapshot_frequency=SNAPSHOT_EVERY_UPDATES)
    ]
    usage: Usage
    steps: Annotated[
        list[AgentStep], DeltaChannel(append, snapshot_frequency=SNAPSHOT_EVERY_UPDATES)
    ]
    trace: Annotated[
        list[TraceEvent], DeltaChannel(append, snapshot_frequency=SNAPSHOT_EVERY_UPDATES)
    ]


class State(OutputState):
    """All that a checkpoint holds. `messages` never sees the dialogue (C1.3)."""

    dialogue: Annotated[
        list[DialogueMessage], DeltaChannel(append, snapshot_frequency=SNAPSHOT_EVERY_UPDATES)
    ]
    run: Run
    turn: TurnState
    closed_run: ClosedRun | None
    steps_left: int
    """The recursion steps left when the last node ran; a jump means a resumed run."""
    remaining_steps: RemainingSteps


class Update(TypedDict, total=False):
    """What a node may write. Overwrites of the delta keys come from `begin` alone."""

    messages: list[AnyMessage]
    release: Release | None
    progress: Any
    usage: Usage
    steps: Any
    trace: Any
    dialogue: Any
    run: Run
    turn: TurnState
    closed_run: ClosedRun | None
    steps_left: int
