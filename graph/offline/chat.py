"""The rules as LangChain chat models, one a component: no network, no randomness."""

import json
from collections.abc import Sequence
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool

from graph.offline.answers import draft, judge, mend, route
from graph.offline.evidence import read_dialogue
from graph.offline.findings import Findings
from graph.offline.plan import next_query
from graph.offline.question import read_question
from graph.offline.sources import read_sources

_CHARACTERS_PER_TOKEN = 4


class RulesModel(BaseChatModel):
    """Answers one component's requests; usage is reported as characters / 4."""

    component: Literal["agent", "router", "evidence_repair", "semantic_guard"]

    @property
    def _llm_type(self) -> str:
        return "incident-rules"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Runnable[LanguageModelInput, AIMessage]:
        """The agent plans from the schemas it is bound to; other options mean nothing to rules."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools])

    def _generate(self, messages: list[BaseMessage], *_: Any, **bound: Any) -> ChatResult:
        reply = self._reply(messages, bound.get("tools", []))
        said = reply.text + "".join(json.dumps(call["args"]) for call in reply.tool_calls)
        read = sum(len(message.text) for message in messages) // _CHARACTERS_PER_TOKEN
        wrote = len(said) // _CHARACTERS_PER_TOKEN
        reply.usage_metadata = UsageMetadata(
            input_tokens=read, output_tokens=wrote, total_tokens=read + wrote
        )
        return ChatResult(generations=[ChatGeneration(message=reply)])

    def _reply(self, messages: list[BaseMessage], tools: list[dict[str, Any]]) -> AIMessage:
        last = messages[-1].text
        match self.component:
            case "agent":
                return _investigate(messages, tools)
            case "router":
                return _said(route(last))
            case "evidence_repair":
                return _said(mend(json.loads(last)))
            case "semantic_guard":
                return _said(judge(json.loads(last)))


def _investigate(messages: list[BaseMessage], tools: list[dict[str, Any]]) -> AIMessage:
    """One agent round: judge what came last, then ask the next query or answer."""
    content, seen = read_dialogue(messages)
    case = Findings(read_question(content), read_sources(tools), seen)
    stopped = any(one.stop for one in seen) or not case.bounded
    query = None if stopped else next_query(case)
    if query is None:
        return _said(draft(case))
    arguments: dict[str, Any] = {"input": query[1]}
    if seen and seen[-1].facts:
        before = Findings(case.question, case.sources, seen[:-1])
        gained = {link.key for link in case.links} - {link.key for link in before.links}
        arguments["previous_observation"] = {
            "tool_call_id": seen[-1].call,
            "information_gain": "GAINED" if gained else "NO_GAIN",
        }
    call = {"name": query[0], "args": arguments, "id": f"call_{len(seen) + 1}", "type": "tool_call"}
    return AIMessage("", tool_calls=[call])


def _said(value: dict[str, Any]) -> AIMessage:
    return AIMessage(json.dumps(value, ensure_ascii=False))
