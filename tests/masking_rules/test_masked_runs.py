"""Secrets in everything a source answers are in no place that a run leaves behind.

Those that the user typed stay in the user's words and in the calls that the model makes of them,
for a resumed run to execute; nowhere else.
"""

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from graph import Models, build_graph
from tests.fakes.bench import Bench
from tests.fakes.replies import asks, call, draft, said
from tests.fakes.sources import KeywordSource
from tests.wiring.sinks import sinks, where
from tests.wiring.whole_runs import hold
from tools import Evidence, ToolResult
from tools.invocations.sqlite import SqliteInvocationStore

SECRETS = {
    "AKIAIOSFODNN7EXAMPLE": "aws_access_key_id=AKIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMI": "aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "c3ludGhldGljOnBhc3N3b3Jk": "Authorization: Basic c3ludGhldGljOnBhc3N3b3Jk",
    "eyJhbGciOiJIUzI1NiJ9": "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzeW50aCJ9.c3ludGgtc2ln",
    "Synth3t1c-P": "connect failed mysql://app:Synth3t1c-P%40ss@db.internal:3306/shop",
    "hunter2-synthetic": 'body={"username":"demo","password":"hunter2-synthetic"}',
    "110101190001011009": "身份证号=110101190001011009",
    "13800138000": "手机=13800138000",
    "4111 1111": "card=4111 1111 1111 1111",
    "MIIsynthetic": "-----BEGIN PRIVATE KEY-----\nMIIsynthetic00\n-----END PRIVATE KEY-----",
    "synthetic-session": "cookie: session=synthetic-session-0123; theme=dark",
    "test.user@": "mail=test.user@example.com",
}
KEPT = "order_id=110101199003071234567 version=13.800.138000 pool exhausted"
ASKED = "13912345678"


def answer() -> ToolResult:
    lines = [*SECRETS.values(), KEPT]
    pieces = [Evidence(f"app.log:{n}", line) for n, line in enumerate(lines, start=1)]
    return ToolResult(
        [Evidence("rows of test.user@example.com", '{"token": "hunter2-synthetic"}'), *pieces]
    )


@pytest.fixture
def run(tmp_path: Path, caplog: Any, capsys: Any) -> Any:
    """Plays a bench and returns its state and all sinks."""
    caplog.set_level(logging.DEBUG)

    def play(bench: Bench, question: str) -> tuple[dict[str, Any], dict[str, str]]:
        (tmp_path / "records").mkdir()
        bench.store = SqliteInvocationStore(tmp_path / "records" / "records.sqlite")
        bench.__post_init__()

        async def whole() -> dict[str, Any]:
            try:
                return await bench.run(question)
            finally:
                await bench.store.aclose()

        state = asyncio.run(whole())
        hold(bench, state)
        printed = "".join(capsys.readouterr())
        found = sinks(
            bench, state, records=tmp_path / "records", log=caplog.records, printed=printed
        )
        for name, model in bench.models.items():
            found[f"asked of {name}"] = repr(model.requests)
        return state, found

    return play


def evidence_of(messages: list[Any], number: int) -> str:
    """The text of a piece of the last observation, as the model reads it."""
    return str(json.loads(messages[-1].text)["evidence"][number]["text"])


def test_no_secret_of_a_source_is_left_anywhere(run):
    # C4, C5.1: masked before model, store, trace and answer; a quote of masked text verifies (C6.2)
    def concluded(messages: list[Any]) -> Any:
        quote = evidence_of(messages, 5)
        assert quote.startswith("connect failed mysql://app:‹password:")
        return draft(f"the login failed: {quote}", ("c1", "e6", quote))

    tool = KeywordSource(answers={"login": answer()})
    bench = Bench(agent=[asks(call("c1", "login")), concluded], tools=[tool])
    state, found = run(bench, "why does the login fail?")
    assert state["release"]["outcome"] == "SUCCESS"
    assert {secret: where(secret, found) for secret in SECRETS if where(secret, found)} == {}
    assert "store" in where(KEPT, found)
    assert "‹password:" in state["messages"][-1].text


def test_a_secret_of_the_question_is_queried_and_not_repeated(run):
    # C5.3, C6.3: the query runs with it; what is recorded, shown, traced and released is masked
    def repeated(messages: list[Any]) -> Any:
        assert ASKED not in messages[-1].text
        return said(
            json.dumps(
                {"conclusion": None, "limitations": {"missing_info": [f"when {ASKED} asked"]}}
            )
        )

    tool = KeywordSource(answers={ASKED: ToolResult([])})
    bench = Bench(agent=[asks(call("c1", ASKED)), repeated], tools=[tool])
    state, found = run(bench, f"why can {ASKED} not log in?")
    assert [request["keyword"] for request in tool.runs] == [ASKED]
    assert state["release"]["outcome"] == "FALLBACK"
    own = {"messages", "dialogue", "asked of router", "asked of agent"}
    assert where(ASKED, found) == own
    assert "‹phone:" in state["messages"][-1].text
    assert ASKED not in state["messages"][-1].text


def test_equal_scopes_with_a_secret_are_found_and_others_are_not(run):
    # C3.4: duplicates are told by the real value, the masked one only shown
    tool = KeywordSource(answers={ASKED: ToolResult([]), "13912345679": ToolResult([])})
    bench = Bench(
        agent=[asks(call("c1", ASKED)), asks(call("c2", f" {ASKED} ")), draft(None, missing=["x"])],
        tools=[tool],
    )
    state, _ = run(bench, "why?")
    refused = [json.loads(e["content"]) for e in state["dialogue"] if e["kind"] == "tool"][1]
    assert (refused["error_code"], refused.get("already_checked")) in (
        ("DUPLICATE_SCOPE", "c1"),
        ("STOP_REQUIRED", None),
    )
    assert len(tool.runs) == 1
    assert list(state["progress"]["completed"].values()) == ["c1"]


def test_the_key_of_a_run_is_its_own_and_shown_nowhere(run):
    bench = Bench(
        agent=[asks(call("c1", "login")), draft(None, missing=["x"])],
        tools=[KeywordSource(answers={"login": answer()})],
    )
    state, found = run(bench, "why?")
    key = state["run"]["run_key"]
    assert len(key) == 32
    assert where(key, found) == {"run"}


async def on_disk(tmp_path: Path) -> None:
    """One run with its sessions and records in files of that folder."""
    store = SqliteInvocationStore(tmp_path / "records.sqlite")
    tool = KeywordSource(answers={"login": answer()})
    models = Bench(agent=[asks(call("c1", "login")), draft(None, missing=["x"])]).models
    async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "sessions.sqlite")) as saver:
        graph = build_graph(
            models=Models(**models), tools=[tool], invocations=store, checkpointer=saver
        )
        config = {"configurable": {"thread_id": "t1"}}
        await graph.ainvoke({"messages": [("user", "why does the login fail?")]}, config)
    await store.aclose()


def test_no_secret_is_in_the_files_of_a_run(tmp_path: Path) -> None:
    # C1.2, C5.2: as bytes, in the checkpoints and the records
    asyncio.run(on_disk(tmp_path))
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert {secret for secret in SECRETS if secret.encode() in written} == set()
    assert written.count(KEPT.encode()) >= 2
