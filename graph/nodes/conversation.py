"""What a model is shown: the prompt, the public messages, the question, the run's dialogue."""

from collections.abc import Sequence

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
)

from graph.contract.vocabulary import Component
from graph.parts import Parts
from graph.state import Run, State
from prompts import Component as PromptComponent
from prompts import Language
from release.plain_text import without_lone_surrogates

MAX_HISTORY_MESSAGES = 10
MAX_HISTORY_BYTES = 8_192
MAX_ANSWER_BYTES = MAX_HISTORY_BYTES // 2
"""A long release leaves room for the question it answered."""
_CUT = " …"

_PROMPT_NAMES: dict[Component, PromptComponent] = {
    Component.ROUTER: "router",
    Component.DIAGNOSIS_AGENT: "diagnosis",
}


def message_text(message: BaseMessage) -> str:
    """The text of a message, from a string or from content blocks (C1.5), as valid Unicode."""
    return without_lone_surrogates(str(message.text))


def split_question(messages: Sequence[AnyMessage]) -> tuple[list[AnyMessage], HumanMessage | None]:
    """The public messages before the question, and the question: the latest human message that
    no release has answered yet, or None."""
    for position in range(len(messages) - 1, -1, -1):
        message = messages[position]
        if isinstance(message, AIMessage):
            break
        if isinstance(message, HumanMessage):
            return list(messages[:position]), message
    return list(messages), None


def opening(parts: Parts, component: Component, state: State) -> list[BaseMessage]:
    """The beginning of every request: a byte-stable prompt, bounded history, then the question."""
    run = state["run"]
    prompt = parts.prompts(_PROMPT_NAMES[component], prompt_language(parts, run))
    before, question = split_question(state["messages"])
    text = message_text(question) if question else ""
    return [
        SystemMessage(prompt),
        *_bounded_history(before),
        HumanMessage(f"{text}\n\n[asked at {run['asked_at']}, time zone {run['time_zone']}]"),
    ]


def prompt_language(parts: Parts, run: Run) -> Language:
    """The configured language of the prompts, or the question's."""
    configured = parts.settings.prompts.language
    return run["language"] if configured == "auto" else configured


def _bounded_history(messages: Sequence[AnyMessage]) -> list[BaseMessage]:
    """The latest public messages, bounded in number and bytes (C1.6)."""
    kept: list[BaseMessage] = []
    left = MAX_HISTORY_BYTES
    for message in reversed(messages[-MAX_HISTORY_MESSAGES:]):
        asked = isinstance(message, HumanMessage)
        text = _shortened(message_text(message), left if asked else min(left, MAX_ANSWER_BYTES))
        if not text:
            break
        left -= len(text.encode())
        kept.append(HumanMessage(text) if asked else AIMessage(text))
    return kept[::-1]


def _shortened(text: str, max_bytes: int) -> str:
    """The beginning of a text, its cut shown; what the user pasted is never dropped whole."""
    encoded = text.encode()
    if len(encoded) <= max_bytes:
        return text
    room = max_bytes - len(_CUT.encode())
    return encoded[:room].decode(errors="ignore") + _CUT if room > 0 else ""
