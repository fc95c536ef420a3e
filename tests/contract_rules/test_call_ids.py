"""Every tool call of a run has an id of its own, in the dialogue too (C2.5)."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from graph.nodes.calls import normalised_calls
from graph.state import DialogueMessage


def call(call_id: str | None) -> dict[str, Any]:
    return {"id": call_id, "name": "query_logs", "args": {"input": {}}}


def ids(*given: str | None, earlier: tuple[str, ...] = ()) -> list[str]:
    message = AIMessage("", tool_calls=[call(one) for one in given])
    dialogue: list[DialogueMessage] = [
        {
            "kind": "ai",
            "content": "",
            "tool_calls": [
                {"id": one, "name": "query_logs", "args": {}, "malformed": False} for one in earlier
            ],
        }
    ]
    return [entry["id"] for entry in normalised_calls(message, dialogue)]


def test_an_id_that_is_new_in_the_run_is_kept() -> None:
    # C2.5
    assert ids("call-2", "call-3", earlier=("call-1",)) == ["call-2", "call-3"]


@pytest.mark.parametrize("missing", [None, "", " "])
def test_a_call_without_an_id_gets_one(missing: str | None) -> None:
    # C2.5
    first, second = ids(missing, missing)
    assert first.strip()
    assert second.strip()
    assert first != second


def test_an_id_used_before_is_replaced_within_a_message_and_across_the_run() -> None:
    # C2.5: no observation is ever overwritten, and no citation is ambiguous
    given = ids("call-1", "call-2", "call-2", earlier=("call-1",))
    assert given[1] == "call-2"
    assert len({*given, "call-1"}) == 4


def test_a_malformed_call_has_an_id_of_its_own_too() -> None:
    # C2.5
    message = AIMessage(
        "",
        tool_calls=[call("call-1")],
        invalid_tool_calls=[{"id": "call-1", "name": "query_logs", "args": "{", "error": None}],
    )
    first, second = normalised_calls(message, [])
    assert (first["id"], first["malformed"], second["malformed"]) == ("call-1", False, True)
    assert second["id"] != "call-1"
