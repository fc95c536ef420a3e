"""One model call of one component: budgeted, timed, audited; its faults are codes, never texts.

Replies are always streamed where the model can: whoever watches sees it go on, a broken line is
noticed at once, and arguments arrive as they were written.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langgraph.errors import GraphBubbleUp

from graph.contract.budget import Usage, seconds_left
from graph.contract.limits import Limits
from graph.contract.vocabulary import Component
from graph.nodes.conversation import message_text
from graph.nodes.gathered import gathered, is_cut
from graph.nodes.journal import Journal
from graph.nodes.model_fault import ModelFault, model_fault
from graph.parts import ChatRunnable, Parts
from tools.shielded import in_time

MAX_ATTEMPTS = 3
RETRY_PAUSE_SECONDS = 0.5
"""Before the second attempt, and twice that before the third, where the provider names no time."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. Without a message, `failure_code` says why, or None: no budget was left."""

    message: AIMessage | None
    token_count: int | None = None
    failure_code: str | None = None

    @property
    def text(self) -> str:
        """What the model said; empty where the provider cut it: a beginning is no answer (C6)."""
        if self.message is None or is_cut(self.message):
            return ""
        return message_text(self.message)


async def ask_model(
    parts: Parts,
    component: Component,
    messages: list[BaseMessage],
    journal: Journal,
    limits: Limits,
    allowed: Callable[[Usage, Limits], bool],
) -> Reply:
    """Call a component's model; a transient fault is tried again within the budget (C8), and not
    where the provider asks to wait longer than the run has."""
    for attempt in range(1, MAX_ATTEMPTS + 1):
        if not allowed(journal.usage, limits):
            return Reply(None)
        asked = await _attempt(parts.models[component], component, messages, journal, limits)
        journal.spend_time()
        if isinstance(asked, Reply):
            return asked
        failed = Reply(None, failure_code=asked.code)
        if not asked.is_transient or attempt == MAX_ATTEMPTS:
            return failed
        seconds = _pause_seconds(asked, attempt)
        if not allowed(journal.usage, limits) or seconds >= seconds_left(journal.usage, limits):
            return failed
        journal.note("MODEL_RETRY", component=component, attempt=attempt, error_code=asked.code)
        await pause(seconds)
        journal.spend_time()
    raise AssertionError("the last attempt returns")


async def pause(seconds: float) -> None:
    """The wait before another attempt."""
    await asyncio.sleep(seconds)


def _pause_seconds(fault: ModelFault, attempt: int) -> float:
    if fault.retry_after_seconds is not None:
        return fault.retry_after_seconds
    return RETRY_PAUSE_SECONDS * attempt


async def _attempt(
    model: ChatRunnable,
    component: Component,
    messages: list[BaseMessage],
    journal: Journal,
    limits: Limits,
) -> Reply | ModelFault:
    seconds = seconds_left(journal.usage, limits)
    try:
        asked = await in_time(_streamed(model, messages), seconds=seconds)
    except asyncio.CancelledError:
        journal.spend_model_call(component, None)  # it was sent; nobody knows what it cost
        raise
    if asked is None:
        journal.spend_model_call(component, None)
        return Reply(None)
    try:
        message = asked.result()
    except GraphBubbleUp:
        raise
    except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - any provider's fault, or its own cancelled call; it ends as a named code, its text dropped
        journal.spend_model_call(component, None)
        return model_fault(error)
    if message is None:
        journal.spend_model_call(component, None)
        return ModelFault("MODEL_REPLY_INVALID")
    return Reply(message, token_count=journal.spend_model_call(component, message))


async def _streamed(model: ChatRunnable, messages: list[BaseMessage]) -> AIMessage | None:
    """The whole reply. A part that arrives together with a cancellation can hide it from the
    client (`asyncio.wait_for` before Python 3.12), which would go on reading, and spending."""
    task, parts = asyncio.current_task(), []
    stream: Any = model.astream(messages)
    async for part in stream:
        if task is not None and task.cancelling():
            await stream.aclose()
            raise asyncio.CancelledError
        parts.append(part)
    return gathered(parts)
