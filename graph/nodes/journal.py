"""What one node run adds to the audit: trace events, its share of the usage, public events."""

import time
from datetime import UTC, datetime
from typing import Any, Literal

from langchain_core.messages import AIMessage
from langgraph.types import StreamWriter

from graph.audit.events import TraceEvent, make_event
from graph.audit.tokens import read_usage
from graph.contract.budget import Usage, UsageShare, add_usage, begin_usage, spent_since
from graph.contract.vocabulary import Component
from graph.cut_off import Unwritten
from graph.state import Run, State

PublicEvent = Literal[
    "metadata",
    "ROUTING",
    "DIAGNOSIS_RUNNING",
    "progress",
    "RESULT",
    "SAFE_FALLBACK",
    "failure",
    "cancelled",
    "done",
]


class Journal:
    """Collects during one node run; `usage` and `trace` include what the run had before."""

    def __init__(self, state: State, writer: StreamWriter, *, fresh: bool = False) -> None:
        self._before: Usage = begin_usage() if fresh else state["usage"]
        self.usage = Usage(**self._before)
        self.trace: list[TraceEvent] = [] if fresh else list(state["trace"])
        self.recorded = len(self.trace)
        self.last_words: list[tuple[PublicEvent, dict[str, Any]]] = []
        self._writer = writer
        self._started = time.monotonic()
        self._accounted_seconds = 0.0

    @property
    def new_events(self) -> list[TraceEvent]:
        """The events of this node run."""
        return self.trace[self.recorded :]

    @property
    def spent(self) -> UsageShare:
        """What this node run spent."""
        return spent_since(self._before, self.usage)

    def note(self, kind: str, **fields: Any) -> None:
        """Add one trace event; its fields are checked against the allow-list (C7)."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self.trace.append(make_event(kind, fields, seq=len(self.trace) + 1, at=at))

    def adopt(self, unwritten: Unwritten) -> None:
        """Take over what a node of this run was cut off with; it is written with this one's."""
        for event in unwritten.events:
            self.trace.append({**event, "seq": len(self.trace) + 1})
        self.usage = add_usage(self.usage, unwritten.usage)

    def announce(self, event: PublicEvent, data: Any) -> None:
        """Stream one named public event now."""
        self._writer({"event": event, "data": data})

    def announce_run(self, run: Run) -> None:
        """The first event of every stream: which run of which session it tells of."""
        self.announce("metadata", {"run_id": run["run_id"], "session_id": run["session_id"]})

    def announce_last(self, event: PublicEvent, data: dict[str, Any]) -> None:
        """Stream one named public event after this node's trace events."""
        self.last_words.append((event, data))

    def publish(self, *, since: int) -> None:
        """Stream the trace events from position `since`, then the last words."""
        for event in self.trace[since:]:
            self.announce("progress", event)
        for name, data in self.last_words:
            self.announce(name, data)

    def component_round(self, component: Component) -> int:
        """The number of the component's next model call."""
        rounds = (
            event["component_round"]
            for event in reversed(self.trace)
            if event["type"] == "MODEL_TOKEN_USAGE" and event["component"] == component
        )
        return 1 + next(rounds, 0)

    def spend_time(self) -> None:
        """Account the time inside this node up to now, each second once: a budget that is checked
        within the node then knows of it (C8)."""
        inside = time.monotonic() - self._started
        self.usage["seconds"] += inside - self._accounted_seconds
        self._accounted_seconds = inside

    def spend_model_call(self, component: Component, reply: AIMessage | None) -> int | None:
        """Account one model call with the provider's own numbers; None when it gave none (C7.2)."""
        reported = read_usage(reply.usage_metadata if reply else None)
        inputs = reported.input_tokens if reported else 0
        outputs = reported.output_tokens if reported else 0
        self.note(
            "MODEL_TOKEN_USAGE",
            component=component,
            component_round=self.component_round(component),
            available=reported is not None,
            input_tokens=inputs,
            output_tokens=outputs,
            cached_tokens=reported.cached_tokens if reported else 0,
        )
        self.usage["model_calls"] += 1
        self.usage["input_tokens"] += inputs
        self.usage["output_tokens"] += outputs
        self.usage["total_tokens"] += inputs + outputs
        self.usage["usage_unavailable"] += reported is None
        return inputs + outputs if reported else None
