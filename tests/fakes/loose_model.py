"""A chat model without a script's end: moves while there are some, then one last reply for ever."""

import asyncio
import copy
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field, PrivateAttr

Move = Callable[[list[BaseMessage]], BaseMessage | BaseException]
HANG = "HANG"
STUBBORN = "STUBBORN"
"""Hangs, and swallows the first cancellation."""


class LooseModel(BaseChatModel):
    """`moves` may look at the request. Records each request and what each reply reported.

    A move is a message, an exception to raise, `HANG`, or a function that makes one of them.
    """

    moves: list[Any]
    last: Any
    requests: list[list[BaseMessage]] = Field(default_factory=list)
    reported: list[tuple[int, int] | None] = Field(default_factory=list)
    bound_tools: list[dict[str, Any]] = Field(default_factory=list)
    _position: int = PrivateAttr(0)

    @property
    def _llm_type(self) -> str:
        return "loose"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> "LooseModel":
        """Remember the schemas; the same object goes on."""
        self.bound_tools.extend(tools)
        return self

    async def _agenerate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        self.requests.append(copy.deepcopy(messages))
        self.reported.append(None)
        move = self.moves[self._position] if self._position < len(self.moves) else self.last
        self._position += 1
        if callable(move):
            move = move(messages)
        if move == STUBBORN:
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
        if move in (HANG, STUBBORN):
            await asyncio.Event().wait()
        if isinstance(move, BaseException):
            raise move
        message = copy.deepcopy(move)
        usage = getattr(message, "usage_metadata", None)
        if isinstance(message, AIMessage) and usage:
            self.reported[-1] = (usage.get("input_tokens"), usage.get("output_tokens"))
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        raise NotImplementedError("the graph is asynchronous")
