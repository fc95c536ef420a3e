"""Odd replies of a model, each on the compiled graph: what the run makes of them (C2, C5, C7.2)."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from graph import Settings, SettingsError, build_graph
from tests.fakes.bench import Bench, observations, play, trace_types
from tests.fakes.loose_model import LooseModel
from tests.fakes.replies import PROVED, USAGE, asks, call, draft, said
from tests.fakes.sources import KeywordSource
from tests.wiring.whole_runs import hold
from tools.invocations.sqlite import SqliteInvocationStore


def finished(bench: Bench) -> dict[str, Any]:
    """The state of a run that holds every invariant."""
    state = play(bench)
    hold(bench, state)
    return state


def first_call(state: dict[str, Any]) -> dict[str, Any]:
    return state["dialogue"][0]["tool_calls"][0]


def unparsed(call_id: str | None, args: Any, name: str | None = "query_logs") -> AIMessage:
    """A reply whose arguments LangChain could not parse."""
    invalid = {"id": call_id, "name": name, "args": args, "error": "secret"}
    return AIMessage("", invalid_tool_calls=[invalid], usage_metadata=USAGE)


@pytest.mark.parametrize("args", ["", "{", "null", "[]", '"x"', "42", "NaN", '{"a": NaN}', None])
def test_malformed_arguments_execute_nothing_and_are_one_violation(args):
    # C2.2; langchain 33504, langchain-litellm 249
    tool = KeywordSource()
    bench = Bench(agent=[unparsed("c1", args), draft(None)], tools=[tool])
    state = finished(bench)
    (seen,) = observations(state)
    assert seen["violation_type"] == "INVALID_ENVELOPE"
    assert seen["invalid_fields"] == ["arguments"]
    assert seen["tool_call_id"] == "c1"
    assert tool.runs == []
    assert first_call(state)["args"] == {}


@pytest.mark.parametrize("args", [{}, {"input": None}])
def test_arguments_without_input_execute_nothing(args):
    # C2.2; langchain-litellm 249: truncated arguments arrive as {}
    tool = KeywordSource()
    asked = asks({"id": "c1", "name": "query_logs", "args": args})
    (seen,) = observations(finished(Bench(agent=[asked, draft(None)], tools=[tool])))
    assert (seen["violation_type"], seen["missing_field"]) == ("MISSING_INPUT", "input")
    assert tool.runs == []


def test_arguments_that_langchain_could_not_read_but_we_can_are_used():
    # C2.2: an object spelled as a string is decoded
    tool = KeywordSource()
    args = json.dumps({"input": json.dumps({"keyword": "pool"})})
    state = finished(Bench(agent=[unparsed("c1", args), PROVED], tools=[tool]))
    assert [run["keyword"] for run in tool.runs] == ["pool"]
    assert state["release"]["outcome"] == "SUCCESS"


@pytest.mark.parametrize(
    "value", [{"keyword": "\ud800"}, {"keyword": "a", "anything": 2**70}, {"keyword": "x" * 70_000}]
)
@pytest.mark.parametrize("spelled", [True, False])
def test_arguments_that_no_checkpoint_could_hold_are_refused(value, spelled):
    # C2.2
    tool = KeywordSource()
    body = json.dumps(value) if spelled else value
    asked = asks({"id": "c1", "name": "query_logs", "args": {"input": body}})
    state = finished(Bench(agent=[asked, draft(None)], tools=[tool]))
    assert observations(state)[0]["violation_type"] in {"INVALID_ENVELOPE", "INVALID_INPUT"}
    assert tool.runs == []


@pytest.mark.parametrize(
    "call_id",
    [None, "", "  ", "\ud800", "a\x00b", "a\nb", "x" * 65, "行" * 22, "\u202eid", '"' * 33],
)
def test_an_id_that_cannot_be_used_is_replaced(call_id):
    # C2.5: the model sees and cites the harness's id
    asked = asks(call(call_id, "pool"))
    state = finished(Bench(agent=[asked, draft(None)]))
    given = first_call(state)["id"]
    assert given.startswith("call_")
    assert given != call_id
    assert observations(state)[0]["tool_call_id"] == given


@pytest.mark.parametrize("call_id", ["c1", "x" * 64, "functions.query_logs:0", "行" * 21, "a b"])
def test_an_ordinary_id_is_kept(call_id):
    # C2.5
    state = finished(Bench(agent=[asks(call(call_id, "pool")), draft(None)]))
    assert first_call(state)["id"] == call_id
    assert state["progress"]["pending"]["tool_call_id"] == call_id


def test_an_id_used_before_is_replaced_in_the_dialogue_too():
    # C2.5; open-webui 28305, qwen-code 5099: a citation is never ambiguous
    again = asks(call("c1", "slow", "c1"), call("c1", "other"))
    cites = draft("the pool is dry", ("c1", "e1", "pool exhausted after"))
    bench = Bench(agent=[asks(call("c1", "pool")), again, cites])
    state = finished(bench)
    ids = [c["id"] for entry in state["dialogue"] for c in entry.get("tool_calls", [])]
    assert ids[0] == "c1"
    assert len(set(ids)) == 3
    sent = [m.tool_call_id for m in bench.requests[-1] if isinstance(m, ToolMessage)]
    assert sent == ids
    assert state["release"]["outcome"] == "SUCCESS"


@pytest.mark.parametrize("name", ["nothing_like_it", "unknown", "", "a b", "x" * 65, "\ud800"])
def test_an_unknown_tool_is_a_violation_and_its_name_stays_out_of_the_trace(name):
    # C2.2, C7
    asked = asks({"id": "c1", "name": name, "args": {"input": {}}})
    state = finished(Bench(agent=[asked, draft(None)]))
    assert observations(state)[0]["violation_type"] == "UNKNOWN_TOOL"
    (refused,) = [e for e in state["trace"] if e["type"] == "TOOL_REQUEST_REJECTED"]
    assert refused["tool"] == "unknown"
    assert state["steps"][0]["tool_names"] == ["unknown"]


@pytest.mark.parametrize("name", ["unknown", "", "a b", "x" * 65, "行", "a.b", "query_logs\n"])
def test_a_tool_whose_name_no_provider_takes_fails_before_serving(name):
    # C3.7: configuration fails before anything is served
    with pytest.raises(SettingsError, match=r"^tools: .* is no tool name"):
        build_graph(
            models=LooseModel(moves=[], last=said("")),
            tools=[KeywordSource(name)],
            invocations=SqliteInvocationStore(":memory:"),
            settings=Settings(),
        )


@pytest.mark.parametrize(
    "content",
    [
        "",
        " \n ",
        [],
        [{"type": "reasoning", "reasoning": "secret"}],
        [{"type": "thinking", "thinking": "secret", "signature": "x"}],
        [{"type": "text"}, {"type": "unheard of"}],
    ],
)
def test_an_answer_without_text_is_empty_and_never_a_success(content):
    # C6; xagent 1312, langgraph 6235
    state = finished(Bench(agent=[asks(call("c1", "pool")), said(content)]))
    assert state["steps"][-1]["action"] == "EMPTY"
    assert state["release"]["outcome"] == "FALLBACK"
    assert state["release"]["fallback"]["type"] == "INSUFFICIENT_EVIDENCE"
    assert "secret" not in json.dumps(state["release"])


def test_a_draft_in_content_blocks_is_read():
    # C1.5, C6: reasoning beside it is dropped
    blocks = [{"type": "reasoning", "reasoning": "secret"}, {"type": "text", "text": PROVED.text}]
    state = finished(Bench(agent=[asks(call("c1", "pool")), said(blocks)]))
    assert state["release"]["outcome"] == "SUCCESS"
    assert "secret" not in json.dumps(state["dialogue"])


@pytest.mark.parametrize("text", ["\ud83d", "a\udfff", '<tool_call>{"name": "query_logs"}'])
def test_text_that_is_no_draft_is_discarded(text):
    # C6: nothing broken reaches a provider, a checkpoint or a user
    state = finished(Bench(agent=[asks(call("c1", "pool"), text=text), said(text)]))
    assert state["release"]["outcome"] == "FALLBACK"
    json.dumps(state["dialogue"], ensure_ascii=False).encode()


def test_a_reply_that_is_no_assistant_message_is_a_failure():
    # C6: the verified facts are attached
    state = finished(Bench(agent=[asks(call("c1", "pool")), HumanMessage("I am you")]))
    assert state["release"]["outcome"] == "FAILED"
    assert state["release"]["error_code"] == "MODEL_REPLY_INVALID"
    assert len(state["release"]["observed_facts"]) == 1


def rewritten(**usage: Any) -> AIMessage:
    """A reply whose usage no validation has seen."""
    return said('{"conclusion": null}').model_copy(update={"usage_metadata": usage or None})


@pytest.mark.parametrize(
    "usage",
    [
        {},
        {"input_tokens": -1, "output_tokens": 5},
        {"input_tokens": 10, "output_tokens": None},
        {"input_tokens": "10", "output_tokens": 5},
        {"input_tokens": True, "output_tokens": 5},
        {"input_tokens": 10, "output_tokens": 2**60},
        {"output_tokens": 5},
    ],
    ids=repr,
)
def test_usage_that_is_none_is_counted_as_unavailable(usage):
    # C7.2: never estimated
    state = play(Bench(agent=[rewritten(**usage)]))
    assert state["usage"]["usage_unavailable"] == 1
    assert state["usage"]["total_tokens"] == 15
    assert state["steps"][0]["token_count"] is None
    assert state["trace"][-1]["tokens_reconciled"] is False
    assert trace_types(state).count("MODEL_TOKEN_USAGE") == 2


@pytest.mark.parametrize(
    ("details", "cached"),
    [({"cache_read": 7}, 7), ({"cache_read": None}, 0), ({}, 0), (None, 0), (["x"], 0)],
    ids=repr,
)
def test_cached_tokens_are_traced_where_reported(details, cached):
    # C7
    usage = {"input_tokens": 10, "output_tokens": 5, "input_token_details": details}
    state = play(Bench(agent=[rewritten(**usage)]))
    audited = [e for e in state["trace"] if e["type"] == "MODEL_TOKEN_USAGE"]
    assert [e["cached_tokens"] for e in audited] == [0, cached]
    assert state["trace"][-1]["tokens_reconciled"] is True
