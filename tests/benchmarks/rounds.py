"""The work that every contender does: gaining rounds of 1 KB against a model without latency.

A reply is found by what follows the question in the request, so that one model serves any number of
runs at once, and all replies are made before anything is timed.
"""

from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import BaseModel, PrivateAttr

from graph import Models
from tools import Evidence, EvidenceTool, ToolResult

TEXT_BYTES = 1_000
QUESTION = "Why did switching the company fail?"
TOOL = "query_logs"
PROMPT = "You diagnose incidents. Ask for evidence, then answer."
DRAFT = '{"conclusion": null, "analysis": [], "limitations": {"missing_info": [], "notes": []}, "next_steps": []}'  # noqa: E501
_USAGE = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}


def found_text(keyword: str) -> str:
    """What the tool of every contender answers: 1 KB that names the keyword."""
    return f"{keyword} ERROR ".ljust(TEXT_BYTES, "x")


class RoundsModel(BaseChatModel):
    """Replies `script[n]` to a request with n replies after the question, each answered once."""

    _script: list[AIMessage] = PrivateAttr()

    def __init__(self, script: Sequence[AIMessage]) -> None:
        super().__init__()
        self._script = list(script)

    @property
    def _llm_type(self) -> str:
        return "rounds"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> "RoundsModel":
        """The script knows its tools."""
        return self

    async def _agenerate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        after = next(n for n, message in enumerate(reversed(messages)) if message.type == "human")
        reply = self._script[after // 2]
        # a reply of its own, as a provider's would be: peers give messages their ids in place
        return ChatResult(generations=[ChatGeneration(message=reply.model_copy())])

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        raise NotImplementedError("every contender runs asynchronously")


class OneKilobyte(EvidenceTool["OneKilobyte.Input"]):
    """The tool as an evidence source."""

    name, description = TOOL, "Finds log lines by keyword."

    class Input(BaseModel):
        """The business arguments."""

        keyword: str

    async def search(self, request: "OneKilobyte.Input") -> ToolResult:
        """1 KB, at once."""
        return ToolResult([Evidence("app.log:1", found_text(request.keyword))])


def plain_model(rounds: int) -> RoundsModel:
    """One tool call a round, then an answer."""
    asks = [_asks(number, {"keyword": f"k{number}"}) for number in range(rounds)]
    return RoundsModel([*asks, AIMessage(DRAFT, usage_metadata=_USAGE)])


def diagnosis_models(rounds: int) -> Models:
    """The same rounds in envelopes, every observation judged GAINED, and a router before them."""
    asks = [_asks(number, _envelope(number)) for number in range(rounds)]
    agent = RoundsModel([*asks, AIMessage(DRAFT, usage_metadata=_USAGE)])
    router = RoundsModel([AIMessage('{"intent": "DIAGNOSIS"}', usage_metadata=_USAGE)])
    return Models(agent=agent, router=router)


def roomy_budget(rounds: int) -> dict[str, Any]:
    """Harness settings under which only the script ends a run."""
    return {
        "budget": {
            "max_model_calls": rounds + 10,
            "max_tool_calls": rounds + 1,
            "max_tokens": 10**9,
            "max_run_observation_bytes": 10**9,
            "max_seconds": 10**6,
        }
    }


def _asks(number: int, args: dict[str, Any]) -> AIMessage:
    call = {"id": f"c{number}", "name": TOOL, "args": args}
    return AIMessage("", tool_calls=[call], usage_metadata=_USAGE)


def _envelope(number: int) -> dict[str, Any]:
    body: dict[str, Any] = {"input": {"keyword": f"k{number}"}}
    if number:
        judged = {"tool_call_id": f"c{number - 1}", "information_gain": "GAINED"}
        body["previous_observation"] = judged
    return body
