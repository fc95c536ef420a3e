"""A run's dialogue as the model is shown it. The state keeps it whole: what is shortened here is
still there for a resumed run and whoever reads the state; quotes are checked by the records.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from graph.contract.context import affordable, observations_to_shorten
from graph.state import DialogueMessage
from tools.scope import canonical_json
from tools.short_observation import short_observation


@dataclass(slots=True)
class _Entry:
    """A dialogue entry as a provider message, made once, and its size in bytes; an observation's
    short form too, once that is wanted."""

    entry: DialogueMessage
    whole: BaseMessage
    size: int
    short: BaseMessage | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """`shortened`: how many observations, the oldest first."""

    messages: list[BaseMessage]
    shortened: int


class ShownDialogues:
    """Dialogues as provider messages: object arguments only, every call answered.

    A long run would otherwise make every message anew in every round. An entry is known by its
    identity; one that a checkpoint restored is made once more.
    """

    def __init__(self, max_runs: int = 256) -> None:
        self._max_runs = max_runs
        self._shown: OrderedDict[str, dict[int, _Entry]] = OrderedDict()

    def shown(
        self,
        run_id: str,
        dialogue: Sequence[DialogueMessage],
        *,
        before: Sequence[BaseMessage],
        already: int,
        tokens_left: int,
    ) -> Shown:
        """One run's dialogue so far, after the messages `before`. Observations of the latest round
        are always whole: the model has yet to judge them (C2.1)."""
        known = self._shown.pop(run_id, {})
        made = {id(entry): known.get(id(entry)) or _made(entry) for entry in dialogue}
        self._shown[run_id] = made
        if len(self._shown) > self._max_runs:
            self._shown.popitem(last=False)
        entries = list(made.values())
        count = _count(entries, before, already=already, tokens_left=tokens_left)
        return Shown(_messages(entries, count), count)

    def forget(self, run_id: str) -> None:
        """The run asks its agent no more."""
        self._shown.pop(run_id, None)


def _count(
    entries: Sequence[_Entry], before: Sequence[BaseMessage], *, already: int, tokens_left: int
) -> int:
    observations = [entry for entry in entries if entry.entry["kind"] == "tool"]
    asked = sum(len(message.text.encode()) for message in before)
    saved = sum(entry.size - _short_size(entry) for entry in observations[:already])
    shown = asked + sum(entry.size for entry in entries) - saved
    if affordable(shown, tokens_left):
        return already
    earlier = observations[: len(observations) - _of_latest_round(entries)]
    return observations_to_shorten(
        [entry.size for entry in earlier],
        [_short_size(entry) for entry in earlier],
        already=already,
        shown=shown,
        tokens_left=tokens_left,
    )


def _of_latest_round(entries: Sequence[_Entry]) -> int:
    rounds = (position for position, one in enumerate(entries) if one.entry["kind"] == "ai")
    latest = max(rounds, default=0)
    return sum(one.entry["kind"] == "tool" for one in entries[latest:])


def _messages(entries: Sequence[_Entry], shortened: int) -> list[BaseMessage]:
    messages = []
    for entry in entries:
        is_short = entry.entry["kind"] == "tool" and shortened > 0
        shortened -= is_short
        messages.append(_short(entry) if is_short else entry.whole)
    return messages


def _made(entry: DialogueMessage) -> _Entry:
    size = len(entry["content"].encode())
    if entry["kind"] == "tool":
        return _Entry(entry, _observation(entry, entry["content"]), size)
    calls = [
        {"type": "tool_call", "id": call["id"], "name": call["name"], "args": call["args"]}
        for call in entry["tool_calls"]
    ]
    said = sum(len(canonical_json(call["args"]).encode()) for call in entry["tool_calls"])
    return _Entry(entry, AIMessage(entry["content"], tool_calls=calls), size + said)


def _observation(entry: DialogueMessage, content: str) -> BaseMessage:
    return ToolMessage(content, tool_call_id=entry["tool_call_id"], name=entry["name"])


def _short(entry: _Entry) -> BaseMessage:
    if entry.short is None:
        entry.short = _observation(entry.entry, short_observation(entry.entry["content"]))
    return entry.short


def _short_size(entry: _Entry) -> int:
    return len(_short(entry).text.encode())
