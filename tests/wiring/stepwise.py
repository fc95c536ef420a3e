"""A run of four model calls and two queries that waits where it is told to, in any process.

Replies depend on the request alone, so that a fresh process goes on where another was killed.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import BaseModel, ConfigDict

from graph import Models
from tools import Evidence, EvidenceTool, ToolResult

QUESTION = "Why did switching the company fail at 10:05 UTC?"
PLACES = ("router", "agent 1", "tool pool", "agent 2", "tool waits", "agent 3", "guard")
"""Where a run can be held, in the order in which it comes there."""

Gate = Callable[[str], Awaitable[None]]
_USAGE = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}


async def open_gate(place: str) -> None:
    """Nothing is held."""


class HeldAt:
    """Holds a run at one place for ever; `reached` tells that it is there."""

    def __init__(self, place: str) -> None:
        self._place = place
        self.reached = asyncio.Event()

    async def __call__(self, place: str) -> None:
        if place == self._place:
            self.reached.set()
            await asyncio.Event().wait()


class Keyword(BaseModel):
    model_config = ConfigDict(extra="forbid")

    keyword: str


class GatedLogs(EvidenceTool[Keyword]):
    """One line a keyword; every search is counted by keyword."""

    name = "query_logs"
    description = "Log lines by keyword."
    Input = Keyword

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self.searched: list[str] = []

    async def search(self, request: Keyword) -> ToolResult:
        self.searched.append(request.keyword)
        await self._gate(f"tool {request.keyword}")
        return ToolResult([Evidence("app.log:1", f"ERROR {request.keyword} exhausted after 50")])


class StepwiseModel(BaseChatModel):
    """The reply follows from how many observations the request holds."""

    component: str
    gate: Any

    @property
    def _llm_type(self) -> str:
        return "stepwise"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> "StepwiseModel":
        return self

    async def _agenerate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        step = sum(isinstance(message, ToolMessage) for message in messages)
        place = f"agent {step + 1}" if self.component == "agent" else self.component
        await self.gate(place)
        reply = _agent_reply(step) if self.component == "agent" else _verdict(self.component)
        return ChatResult(generations=[ChatGeneration(message=reply)])

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        raise NotImplementedError("the graph is asynchronous")


def stepwise_models(gate: Gate = open_gate) -> Models:
    """One model a component, all behind the same gate."""
    return Models(
        **{
            field: StepwiseModel(component=component, gate=gate)
            for field, component in {
                "agent": "agent",
                "router": "router",
                "semantic_guard": "guard",
            }.items()
        }
    )


def _verdict(component: str) -> AIMessage:
    value = {"intent": "DIAGNOSIS"} if component == "router" else {"supported": True, "reasons": []}
    return AIMessage(json.dumps(value), usage_metadata=_USAGE)


def _agent_reply(step: int) -> AIMessage:
    if step < 2:
        arguments: dict[str, Any] = {"input": {"keyword": ("pool", "waits")[step]}}
        if step:
            arguments["previous_observation"] = {"tool_call_id": "c1", "information_gain": "GAINED"}
        call = {"id": f"c{step + 1}", "name": "query_logs", "args": arguments}
        return AIMessage("", tool_calls=[call], usage_metadata=_USAGE)
    citation = {"tool_call_id": "c1", "evidence_id": "e1", "quote": "pool exhausted after"}
    draft = {
        "conclusion": "The connection pool is exhausted.",
        "analysis": [{"statement": "The pool ran dry.", "citations": [citation]}],
        "limitations": {"missing_info": [], "notes": []},
        "next_steps": [],
    }
    return AIMessage(json.dumps(draft), usage_metadata=_USAGE)
