"""Calls and usage as the harness reads them, at the edges of their bounds (C2.5, C4, C7.2)."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from pydantic import ConfigDict, create_model

from graph.audit.tokens import ReportedUsage, audited_tokens, read_usage, tokens_reconciled
from graph.nodes.answers import MAX_INVALID_FIELDS
from graph.nodes.calls import MAX_ARGUMENT_CHARS, is_tool_name, normalised_calls
from tests.fakes.bench import Bench, observations, play
from tests.fakes.replies import asks, call, draft
from tests.fakes.sources import KeywordSource


def normalised(*calls: dict[str, Any]) -> list[Any]:
    return normalised_calls(AIMessage("", tool_calls=list(calls)), [])


def test_one_message_never_holds_an_id_twice():
    # C2.5
    first, second, third = normalised(call("c1", "a"), call("c1", "b"), call("c1", "c"))
    assert first["id"] == "c1"
    assert len({first["id"], second["id"], third["id"]}) == 3
    assert len(second["id"]) == len("call_") + 16


def test_arguments_are_bounded_in_size():
    # C2.2: what no request should carry is malformed
    frame = len('{"input":{"keyword":""}}')
    for room, malformed in ((0, False), (1, True)):
        args = {"input": {"keyword": "x" * (MAX_ARGUMENT_CHARS - frame + room)}}
        (kept,) = normalised({"id": "c1", "name": "query_logs", "args": args})
        assert kept["malformed"] is malformed
        assert kept["args"] == ({} if malformed else args)


@pytest.mark.parametrize("name", ["a", "query_logs", "Query-2", "x" * 64])
def test_names_that_every_provider_takes(name):
    # C7
    assert is_tool_name(name)
    (kept,) = normalised({"id": "c1", "name": name, "args": {}})
    assert kept["name"] == name


@pytest.mark.parametrize("name", [None, "", "unknown", "x" * 65, "a b", "a\n", "é", b"a"])
def test_names_that_are_none(name):
    # C7
    assert not is_tool_name(name)


def test_the_model_is_told_which_fields_are_wrong():
    # C4: names only
    asked = asks(call("c1", "pool", limit=0, level="LOUD", secret=1))
    (seen,) = observations(play(Bench(agent=[asked, draft(None)])))
    assert seen["invalid_fields"] == ["input.level", "input.limit"]
    assert "secret" not in str(seen)


@pytest.mark.parametrize(
    ("args", "names"),
    [
        ({"previous_observation": "secret"}, ["previous_observation"]),
        (
            {"previous_observation": {"tool_call_id": 7, "information_gain": "GAINED"}},
            ["previous_observation.tool_call_id"],
        ),
        (
            {"previous_observation": {"tool_call_id": "c0", "information_gain": "secret"}},
            ["previous_observation.information_gain"],
        ),
        (
            {"previous_observation": {"secret": 1}},
            ["previous_observation.tool_call_id", "previous_observation.information_gain"],
        ),
    ],
)
def test_the_model_is_told_which_part_of_the_envelope_is_malformed(args, names):
    # C4: names only
    asked = asks({"id": "c1", "name": "query_logs", "args": {**args, "input": {}}})
    (seen,) = observations(play(Bench(agent=[asked, draft(None)])))
    assert seen["violation_type"] == "INVALID_ENVELOPE"
    assert seen["invalid_fields"] == names
    assert "secret" not in str(seen)


def test_a_list_of_wrong_fields_is_bounded():
    # C4
    fields: dict[str, Any] = {f"f{n:02}": (int, 0) for n in range(MAX_INVALID_FIELDS + 4)}
    tool = KeywordSource()
    tool.Input = create_model("Wide", __config__=ConfigDict(extra="forbid"), **fields)
    args = {"input": dict.fromkeys(fields, "secret")}
    asked = asks({"id": "c1", "name": "query_logs", "args": args})
    (seen,) = observations(play(Bench(agent=[asked, draft(None)], tools=[tool])))
    assert seen["invalid_fields"] == [f"input.f{n:02}" for n in range(MAX_INVALID_FIELDS)]


def test_input_of_an_unknown_tool_is_not_looked_at():
    # C2.2: first match
    asked = asks(call("c1", "pool", tool="no_such_tool"))
    (seen,) = observations(play(Bench(agent=[asked, draft(None)])))
    assert seen["violation_type"] == "UNKNOWN_TOOL"
    assert "invalid_fields" not in seen


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        ({"input_tokens": 0, "output_tokens": 0}, ReportedUsage(0, 0, 0)),
        (
            {
                "input_tokens": 7,
                "output_tokens": 5,
                "total_tokens": 99,
                "input_token_details": {"cache_read": 3},
            },
            ReportedUsage(7, 5, 3),
        ),
        ({"input_tokens": 2**53 - 1, "output_tokens": 1}, ReportedUsage(2**53 - 1, 1, 0)),
        ({"input_tokens": 2**53, "output_tokens": 1}, None),
        ({"input_tokens": 1, "output_tokens": -1}, None),
        ({"input_tokens": 1}, None),
        ({}, None),
        (None, None),
    ],
)
def test_usage_is_what_the_provider_reported_or_nothing(reported, expected):
    # C7.2
    assert read_usage(reported) == expected


def test_tokens_reconcile_only_when_all_are_known_and_add_up():
    # C7.3
    audited: Any = [
        {"type": "MODEL_TOKEN_USAGE", "input_tokens": 7, "output_tokens": 5},
        {"type": "RUN_RESUMED"},
        {"type": "MODEL_TOKEN_USAGE", "input_tokens": 1, "output_tokens": 0},
    ]
    assert audited_tokens(audited) == 13
    assert tokens_reconciled(audited, total_tokens=13, usage_unavailable=0) is True
    assert tokens_reconciled(audited, total_tokens=12, usage_unavailable=0) is False
    assert tokens_reconciled(audited, total_tokens=13, usage_unavailable=1) is False
