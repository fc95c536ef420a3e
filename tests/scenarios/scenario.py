"""Runs one scenario: a question, scripted replies and tool data in; path, trace and outcome out."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage
from pydantic import BaseModel, ConfigDict

from graph import Models, Settings, build_graph
from tests.fakes.scripted_model import ScriptedModel
from tools import Evidence, EvidenceTool, ToolFailure, ToolResult
from tools.invocations.sqlite import SqliteInvocationStore

CASES = Path(__file__).parent / "cases"
_USAGE = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
_COMPONENTS = ("router", "agent", "evidence_repair", "semantic_guard")


class KeywordTool(EvidenceTool[Any]):
    """Answers by keyword from a table: a list of texts, or the code of a failure."""

    description = "Looks a keyword up."

    class Input(BaseModel):
        model_config = ConfigDict(extra="forbid")

        keyword: str

    def __init__(self, name: str, answers: dict[str, Any], *, factual: bool) -> None:
        self.name, self.factual = name, factual
        self._answers, self.runs = answers, []

    async def search(self, request: Any) -> ToolResult:
        """The answer for the keyword; what the table does not name is empty."""
        self.runs.append(request.keyword)
        answer = self._answers.get(request.keyword, [])
        if isinstance(answer, str):
            raise ToolFailure(answer, retryable=True)
        return ToolResult([Evidence(f"{self.name}:{n}", text) for n, text in enumerate(answer, 1)])


@dataclass
class Played:
    """What a scenario did."""

    state: dict[str, Any]
    path: list[str]
    dialogue: list[dict[str, Any]]
    public_events: list[str]
    runs: dict[str, list[str]]
    requests: list[Any]


def load(name: str) -> dict[str, Any]:
    """One scenario by its file name."""
    return json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))


def _reply(said: Any) -> AIMessage | Exception:
    if said == "MODEL_FAILS":
        return RuntimeError("canary: a provider's own words")
    if isinstance(said, str):
        return AIMessage(said, usage_metadata=_USAGE)
    if "calls" not in said:
        return AIMessage(json.dumps(said, ensure_ascii=False), usage_metadata=_USAGE)
    valid = [c for c in said["calls"] if isinstance(c["args"], dict)]
    malformed = [c for c in said["calls"] if not isinstance(c["args"], dict)]
    return AIMessage(
        said.get("text", ""),
        tool_calls=[{"id": c["id"], "name": c["tool"], "args": c["args"]} for c in valid],
        invalid_tool_calls=[
            {"id": c["id"], "name": c["tool"], "args": json.dumps(c["args"]), "error": "canary"}
            for c in malformed
        ],
        usage_metadata=_USAGE,
    )


def play(scenario: dict[str, Any]) -> Played:
    """Run it on the compiled graph; every scripted reply must be used, and no other."""
    return asyncio.run(_play(scenario))


async def _play(scenario: dict[str, Any]) -> Played:
    scripts = {
        name: ScriptedModel(replies=[_reply(r) for r in scenario.get(name, [])])
        for name in _COMPONENTS
    }
    tools = [
        KeywordTool("logs", scenario.get("logs", {}), factual=True),
        KeywordTool("runbooks", scenario.get("runbooks", {}), factual=False),
    ]
    store = SqliteInvocationStore(":memory:")
    graph = build_graph(
        models=Models(**scripts),
        tools=tools,
        invocations=store,
        settings=Settings(harness=scenario.get("harness", {})),
    )
    played = Played({}, [], [], [], {}, [])
    async for mode, chunk in graph.astream(
        {"messages": [("user", scenario["question"])]},
        stream_mode=["updates", "custom", "values"],
    ):
        match mode:
            case "updates":
                for node, update in chunk.items():
                    played.path.append(node)
                    if node != "begin":
                        played.dialogue.extend(update.get("dialogue", []))
            case "custom":
                played.public_events.append(chunk["event"])
            case "values":
                played.state = chunk
    await store.aclose()
    for script in scripts.values():
        script.assert_finished()
    played.runs = {tool.name: tool.runs for tool in tools}
    played.requests = scripts["agent"].requests
    return played


def observations(played: Played) -> list[dict[str, Any]]:
    """Every observation as the model was shown it."""
    return [json.loads(e["content"]) for e in played.dialogue if e["kind"] == "tool"]
