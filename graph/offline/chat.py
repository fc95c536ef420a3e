"""The rules as LangChain chat models, one a component: no network, no randomness."""

import json
from collections.abc import Sequence
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool

from graph.offline.case import Case, read_sources
from graph.offline.dialogue import read_dialogue, read_question
from graph.offline.lexicon import concepts, pattern

Component = Literal["agent", "router", "evidence_repair", "semantic_guard"]
_CHARACTERS_PER_TOKEN = 4


class RulesModel(BaseChatModel):
    """Answers one component's requests; usage is reported as characters / 4."""

    component: Component

    @property
    def _llm_type(self) -> str:
        return "incident-rules"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Runnable[LanguageModelInput, AIMessage]:
        """The agent plans from the schemas it is bound to; other options mean nothing to rules."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools])

    def _generate(self, messages: list[BaseMessage], *_: Any, **bound: Any) -> ChatResult:
        calls: list[Any] = []
        asked = messages[-1].text
        match self.component:
            case "agent":
                said, calls = _investigate(messages, bound.get("tools", []))
            case "router":
                said = {"intent": "OUT_OF_SCOPE" if pattern("chore").search(asked) else "DIAGNOSIS"}
            case "evidence_repair":
                said = {**json.loads(asked)["draft"], "analysis": [], "conclusion": None}
            case "semantic_guard":
                said = _judge(json.loads(asked))
        text = json.dumps(said, ensure_ascii=False) if said else ""
        read = sum(len(message.text) for message in messages) // _CHARACTERS_PER_TOKEN
        wrote = (len(text) + len(json.dumps(calls))) // _CHARACTERS_PER_TOKEN
        usage = {"input_tokens": read, "output_tokens": wrote, "total_tokens": read + wrote}
        reply = AIMessage(text, tool_calls=calls, usage_metadata=usage)
        return ChatResult(generations=[ChatGeneration(message=reply)])


def _investigate(messages: list[BaseMessage], tools: list[dict[str, Any]]) -> tuple[Any, list[Any]]:
    content, seen = read_dialogue(messages)
    case = Case(read_question(content), read_sources(tools), seen)
    stopped = any(one.stop for one in seen) or not case.bounded
    query = None if stopped else case.next_query()
    if query is None:
        return case.draft(), []
    arguments: dict[str, Any] = {"input": query[1]}
    if seen and seen[-1].facts:
        gained = case.telling - Case(case.question, case.sources, seen[:-1]).telling
        gain = "GAINED" if gained else "NO_GAIN"
        judged = {"tool_call_id": seen[-1].call, "information_gain": gain}
        arguments["previous_observation"] = judged
    return None, [{"name": query[0], "args": arguments, "id": f"call_{len(seen) + 1}"}]


def _judge(data: dict[str, Any]) -> dict[str, Any]:
    """Supported when factual evidence states a fault and every name and cause concluded."""
    factual = [one for one in data["evidence"] if one["factual"]]
    texts = [str(one["text"]) for one in factual]
    stated = " ".join([*texts, *(str(one["source"]) for one in factual)])
    conclusion, question = str(data["conclusion"]), str(data.get("question", ""))
    read = f"{stated} {question}".lower()
    claimed, changed = concepts(conclusion), pattern("change").search(stated)
    spelt = filter(pattern("exact").search, pattern("claimed").findall(conclusion))
    repeated = "unreachable" in claimed and claimed - {"slow"} <= concepts(question)
    found = {
        "no factual evidence": not texts,
        "no fault in the evidence": not (pattern("failure").search(stated) or changed),
        "only passed on": bool(texts) and all(map(pattern("passed_on").search, texts)),
        "names not in the evidence": not all(one.lower() in read for one in spelt),
        "causes not in the evidence": bool(claimed - concepts(stated)),
        "only restates the question": repeated and not changed,
    }
    reasons = [reason for reason, holds in found.items() if holds]
    return {"supported": not reasons, "reasons": reasons}
