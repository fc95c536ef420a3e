"""Progress on stderr while a run goes on: a line an event, and below them what is done now.

Without a terminal there are the lines alone.
"""

from types import TracebackType
from typing import Any

from rich.status import Status
from rich.text import Text

from graph.audit.events import TraceEvent
from graph.command.narration import sentence
from graph.command.terminal import Terminal
from graph.command.wording import SENTENCES
from graph.state import AgentStep
from prompts import Language

_UNSAID = frozenset({"RUN_STARTED", "ROUTING_ATTEMPT", "MODEL_TOKEN_USAGE", "RELEASE_DECISION"})
_STYLES = {
    "TOOL_REQUEST_REJECTED": "yellow",
    "STOP_REQUIRED": "yellow",
    "COLLECTION_STOPPED": "yellow",
    "RUN_FINISHED": "bold",
}
_NOW_AFTER = {"route": "live.model", "tool": "live.model", "stop_required": "live.model"}


class LiveProgress:
    """Shows one run. Use as a context: the line that moves is gone at the end."""

    def __init__(self, terminal: Terminal, language: Language) -> None:
        self._terminal = terminal
        self.speak(language)
        self._tokens = 0
        self._now = "live.start"
        self._tools = ""
        console = terminal.err
        moving = console.is_terminal and not console.is_dumb_terminal
        spinner = "dots" if console.encoding.startswith("utf") else "line"
        self._status = Status(Text(), console=console, spinner=spinner) if moving else None

    def __enter__(self) -> "LiveProgress":
        if self._status:
            self._status.start()
            self._refresh()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if self._status:
            self._status.stop()

    def speak(self, language: Language) -> None:
        """The run's language, where it is known only now."""
        self._language = language
        self._words = SENTENCES[language]

    def public_event(self, item: dict[str, Any]) -> None:
        """One event of the custom stream."""
        if item["event"] == "progress":
            self._trace_event(item["data"])
        self._refresh()

    def node_done(self, node: str, update: dict[str, Any]) -> None:
        """One node's update: what comes next, by the names of registered tools alone."""
        steps: list[AgentStep] = update.get("steps", []) if node == "model" else []
        for step in steps:
            self._tools = ", ".join(dict.fromkeys(step["tool_names"]))
            self._now = "live.checking" if self._tools else "live.judging"
            if self._tools:
                asks = self._words["live.asks"]
                self._terminal.say(asks.format(round=step["round"], tools=self._tools))
        self._now = _NOW_AFTER.get(node, self._now)
        self._refresh()

    def cancelling(self) -> None:
        """Ctrl-C was heard."""
        self._now = "live.cancelling"
        self._terminal.say(self._words[self._now], "yellow")
        self._refresh()

    def _trace_event(self, event: TraceEvent) -> None:
        kind = event["type"]
        if kind == "MODEL_TOKEN_USAGE":
            self._tokens += event["input_tokens"] + event["output_tokens"]
        if kind not in _UNSAID and event.get("action") != "TOOL_CALLS":
            of_its_own = kind in ("AGENT_MODEL_STEP", "RUN_FINISHED")
            line = ("" if of_its_own else "  ") + sentence(event, self._language)
            self._terminal.say(line, _STYLES.get(kind, "" if of_its_own else "dim"))

    def _refresh(self) -> None:
        if self._status:
            now = self._words[self._now].format(tools=self._tools)
            spent = self._words["live.tokens"].format(tokens=f"{self._tokens:,}")
            self._status.update(Text(f"{now} - {spent}"))
