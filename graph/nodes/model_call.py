"""One model call of one component: budgeted, timed, audited; its faults are codes, never texts."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from langchain_core.messages import AIMessage, BaseMessage
from langgraph.errors import GraphBubbleUp

from graph.contract.budget import Usage, seconds_left
from graph.contract.limits import Limits
from graph.contract.vocabulary import Component
from graph.nodes.journal import Journal
from graph.parts import Parts
from tools.shielded import in_time

MAX_ATTEMPTS = 3
RETRY_PAUSE_SECONDS = 0.5

_CODES_BY_STATUS = {
    401: "MODEL_ACCESS_DENIED",
    403: "MODEL_ACCESS_DENIED",
    404: "MODEL_NOT_FOUND",
    408: "MODEL_TIMEOUT",
    409: "MODEL_UNAVAILABLE",
    429: "MODEL_RATE_LIMITED",
}
_TRANSIENT = frozenset({"MODEL_TIMEOUT", "MODEL_UNAVAILABLE", "MODEL_RATE_LIMITED"})


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. Without a message, `failure_code` says why, or None: no budget was left."""

    message: AIMessage | None
    token_count: int | None = None
    failure_code: str | None = None


async def ask_model(
    parts: Parts,
    component: Component,
    messages: list[BaseMessage],
    journal: Journal,
    limits: Limits,
    allowed: Callable[[Usage, Limits], bool],
) -> Reply:
    """Call a component's model; a transient fault is tried again within the budget (C8)."""
    for attempt in range(1, MAX_ATTEMPTS + 1):
        if not allowed(journal.usage, limits):
            return Reply(None)
        reply = await _attempt(parts, component, messages, journal, limits)
        journal.spend_time()
        if reply.failure_code not in _TRANSIENT or attempt == MAX_ATTEMPTS:
            return reply
        if not allowed(journal.usage, limits):
            return reply
        journal.note(
            "MODEL_RETRY", component=component, attempt=attempt, error_code=reply.failure_code
        )
        pause_seconds = RETRY_PAUSE_SECONDS * attempt
        await asyncio.sleep(min(pause_seconds, seconds_left(journal.usage, limits)))
        journal.spend_time()
    raise AssertionError("the last attempt returns")


async def _attempt(
    parts: Parts,
    component: Component,
    messages: list[BaseMessage],
    journal: Journal,
    limits: Limits,
) -> Reply:
    asked = await in_time(
        parts.models[component].ainvoke(messages), seconds=seconds_left(journal.usage, limits)
    )
    if asked is None:
        journal.spend_model_call(component, None)
        return Reply(None)
    try:
        message = asked.result()
    except GraphBubbleUp:
        raise
    except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - any provider's fault, or its own cancelled call; it ends as a named code, its text dropped
        journal.spend_model_call(component, None)
        return Reply(None, failure_code=_code(error))
    if not isinstance(message, AIMessage):
        journal.spend_model_call(component, None)
        return Reply(None, failure_code="MODEL_REPLY_INVALID")
    return Reply(message, token_count=journal.spend_model_call(component, message))


def _code(error: BaseException) -> str:
    if isinstance(error, TimeoutError) or "Timeout" in type(error).__name__:
        return "MODEL_TIMEOUT"
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        if status >= 500:
            return "MODEL_UNAVAILABLE"
        return _CODES_BY_STATUS.get(status, "MODEL_REQUEST_REFUSED")
    if isinstance(error, ConnectionError) or "Connection" in type(error).__name__:
        return "MODEL_UNAVAILABLE"
    return "MODEL_FAILED"
