"""Replays recorded attempts of models at the envelope, and what one repair makes of each.

    python -m tests.wire.replay ATTEMPTS.jsonl

A line holds `model`, `situation` (what had happened: `first` request, a result that `gained`,
`nothing` found, a `repeat`, told to stop because `done`), `text`, `tool_calls` as [name,
arguments], `invalid_tool_calls` as [name, text], `finish_reason`. After a refusal the model is
taken to do what the observation tells it, word for word, and nothing else.
"""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Any

import httpx
from pydantic import BaseModel, ConfigDict

from graph import Settings, build_graph
from tests.wire.provider import Conversation, Provider
from tests.wire.runs import chat_models
from tools import Evidence, EvidenceTool, SqliteInvocationStore, ToolResult

QUESTION = "When was it finished, and who built it?"
FOUND = "call_0a7f"
FOUND_NEXT = "call_0b2c"
EMPTY = "nothing"
MISSING = '{"conclusion": null, "limitations": {"missing_info": ["more"]}}'


class Verdict(StrEnum):
    """What became of an attempt."""

    ACCEPTED = "accepted at once"
    RECOVERED = "recovered after one repair"
    LOST = "refused after one repair, too"
    TEXT = "text in place of a request"


class Search(EvidenceTool[Any]):
    """The tool of the recorded attempts."""

    name = "search"
    description = "Searches."
    factual = True

    class Input(BaseModel):
        model_config = ConfigDict(extra="forbid")

        query: str

    async def search(self, request: Any) -> ToolResult:
        """One line a query, none for the one that finds nothing."""
        found = [] if request.query.startswith(EMPTY) else [f"found: {request.query[:80]}"]
        return ToolResult([Evidence("a.txt:1", text) for text in found])


def request(call_id: str, query: str, previous: str | None = None) -> dict[str, Any]:
    """A sound request; it judges `previous` as a gain."""
    arguments: dict[str, Any] = {"input": {"query": query}}
    if previous is not None:
        judged = {"tool_call_id": previous, "information_gain": "GAINED"}
        arguments["previous_observation"] = judged
    return {"calls": [{"id": call_id, "name": "search", "arguments": arguments}]}


BEFORE = {
    "first": [],
    "gained": [request(FOUND, "earlier")],
    "nothing": [request(FOUND, EMPTY)],
    "repeat": [request(FOUND, "earlier"), request(FOUND_NEXT, "later", FOUND)],
    "done": [request(FOUND, EMPTY), request(FOUND_NEXT, f"{EMPTY} either")],
}
"""What the model had done in each situation."""


def recorded(attempt: dict[str, Any]) -> dict[str, Any]:
    """The attempt as the provider's reply."""
    made = [*attempt["tool_calls"], *attempt["invalid_tool_calls"]]
    calls = [
        {"id": f"call_{number:02}", "name": name, "arguments": arguments}
        for number, (name, arguments) in enumerate(made)
    ]
    return {"text": attempt["text"], "calls": calls, "finish": attempt["finish_reason"]}


def repaired(asked: dict[str, Any]) -> dict[str, Any]:
    """What the last observation tells the model to send; a result is answered with a draft."""
    seen = json.loads(asked["messages"][-1]["content"])
    if not seen.get("repair_required"):
        return {"text": MISSING}
    return request("call_99", "mended", seen.get("expected_previous_tool_call_id"))


async def replayed(provider: Provider, attempt: dict[str, Any]) -> Verdict:
    """One attempt in a run of its own. Raises AssertionError where a request breaks the protocol"""
    script = [*BEFORE[attempt["situation"]], recorded(attempt), repaired, repaired]
    router = [{"draft": "diagnosis"}]
    conversation = Conversation({"router": router, "agent": script})
    async with httpx.AsyncClient() as http:
        graph = build_graph(
            models=chat_models(provider.converse(conversation), http),
            tools=[Search()],
            invocations=SqliteInvocationStore(":memory:"),
            settings=Settings(),
        )
        state = await graph.ainvoke({"messages": [("user", QUESTION)]})
    assert conversation.violations == []
    return _verdict(attempt, state["trace"])


def _verdict(attempt: dict[str, Any], trace: list[dict[str, Any]]) -> Verdict:
    if not attempt["tool_calls"] and not attempt["invalid_tool_calls"]:
        return Verdict.TEXT
    refused = [e for e in trace if e["type"] == "TOOL_REQUEST_REJECTED" and e["violation_type"]]
    return (Verdict.ACCEPTED, Verdict.RECOVERED, Verdict.LOST)[len(refused)]


def attempts(file: Path) -> list[dict[str, Any]]:
    """The lines of a file."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def table(models: Iterable[str], verdicts: Iterable[Verdict]) -> str:
    """How often each verdict, in all and for each model."""
    pairs = list(zip(models, verdicts, strict=True))
    lines = [f"{len(pairs)} attempts"]
    for verdict, count in Counter(verdict for _, verdict in pairs).most_common():
        each = Counter(model for model, given in pairs if given is verdict)
        named = ", ".join(f"{model} {number}" for model, number in sorted(each.items()))
        lines.append(f"{count:4} {verdict} ({named})")
    return "\n".join(lines)


async def _main(file: Path) -> None:
    recordings = attempts(file)
    with Provider().serving() as provider:
        verdicts = [await replayed(provider, attempt) for attempt in recordings]
    sys.stdout.write(table([attempt["model"] for attempt in recordings], verdicts) + "\n")


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1])))
