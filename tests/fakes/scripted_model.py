"""A chat model that follows a script: an extra call fails, and so does an unused reply."""

import copy
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field, PrivateAttr

Reply = AIMessage | Exception | Callable[[list[BaseMessage]], AIMessage]


class ScriptError(AssertionError):
    """The graph asked more or less than the script says."""


class ScriptedModel(BaseChatModel):
    """Replies in order; records deep copies of what it was asked and the tools it was bound to."""

    replies: list[Any]
    bound_tools: list[dict[str, Any]] = Field(default_factory=list)
    _position: int = PrivateAttr(0)
    _requests: list[list[BaseMessage]] = PrivateAttr(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @property
    def requests(self) -> list[list[BaseMessage]]:
        """Every request so far."""
        return self._requests

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> "ScriptedModel":
        """Remember the schemas; the script stays the same object."""
        self.bound_tools.extend(tools)
        return self

    def assert_finished(self) -> None:
        """Every reply was used."""
        if self._position != len(self.replies):
            raise ScriptError(f"{len(self.replies) - self._position} replies were not asked for")

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        self._requests.append(copy.deepcopy(messages))
        if self._position >= len(self.replies):
            raise ScriptError("the script has no further reply")
        reply: Reply = self.replies[self._position]
        self._position += 1
        if isinstance(reply, Exception):
            raise reply
        message = reply(messages) if callable(reply) else reply
        return ChatResult(generations=[ChatGeneration(message=message)])
