"""Parts of a stream, put together: usage once, calls as written, the last reason to finish."""

import random
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.messages.tool import tool_call_chunk

from graph.nodes.calls import normalised_calls
from graph.nodes.gathered import BrokenOff, gathered, is_cut


def part(text: str = "", usage: tuple[int, int] | None = None, **fields: Any) -> AIMessageChunk:
    reported: Any = None
    if usage is not None:
        reported = dict(zip(("input_tokens", "output_tokens"), usage, strict=True))
        reported["total_tokens"] = sum(usage)
    return AIMessageChunk(content=text, usage_metadata=reported, **fields)


def piece(args: str | None, index: int | None = 0, **fields: Any) -> AIMessageChunk:
    return part(tool_call_chunks=[tool_call_chunk(args=args, index=index, **fields)])


@pytest.mark.parametrize(
    ("reported", "total"),
    [
        ([(7, 5)], (7, 5)),
        ([(7, 0), (7, 2), (7, 5), (7, 5)], (7, 5)),  # cumulative
        ([(7, 1), (0, 2), (0, 3)], (7, 6)),  # shares
        ([(7, 1), (6, 2)], (13, 3)),
        ([(0, 1), (0, 2), (9, 0)], (9, 3)),  # shares, the prompt's last
        ([(7, 0), (12, 0), (12, 9)], (12, 9)),  # cumulative, the prompt counted late
        ([], None),
    ],
)
def test_usage_is_counted_once(reported, total):
    # C7.2
    whole = gathered([part("a"), *(part("b", usage) for usage in reported), part("c")])
    assert whole is not None
    found = whole.usage_metadata
    assert (found and (found["input_tokens"], found["output_tokens"])) == total


@pytest.mark.parametrize("seed", range(20))
def test_a_call_is_the_same_however_it_is_cut(seed):
    # C2.2
    written = '{"input": {"keyword": "a \\"b\\" 池"}, "previous_observation": null}'
    cuts = sorted(random.Random(seed).sample(range(len(written)), 4))
    parts = [written[a:b] for a, b in zip([0, *cuts], [*cuts, None], strict=True)]
    begun = piece(parts[0], name="query_logs", id="c1")
    whole = gathered([begun, *(piece(text) for text in parts[1:])])
    assert whole is not None
    (kept,) = normalised_calls(whole, [])
    assert (kept["id"], kept["name"], kept["malformed"]) == ("c1", "query_logs", False)
    assert kept["args"]["input"] == {"keyword": 'a "b" 池'}


@pytest.mark.parametrize("missing", range(1, 31))
def test_a_call_that_was_cut_is_never_completed(missing):
    # C2.2: the client itself would close the string and run another query
    written = '{"input": {"keyword": "pool"}}'
    whole = gathered([piece(written[:-missing], name="query_logs", id="c1"), part("x")])
    assert whole is not None
    (kept,) = normalised_calls(whole, [])
    assert kept["args"] == {}
    assert kept["malformed"] is (missing < len(written))


@pytest.mark.parametrize("args", ["null", "7", "[1]", '"{}"', "true", "NaN", "{} {}"])
def test_arguments_that_are_no_object(args):
    # C2.2
    whole = gathered([piece(args, name="query_logs", id="c1"), part("x")])
    assert whole is not None
    (kept,) = normalised_calls(whole, [])
    assert kept["malformed"]


def test_two_calls_keep_their_order_and_their_pieces():
    # C2.4
    whole = gathered(
        [
            piece("", 0, name="a", id="c1"),
            piece("", 1, name="b", id="c2"),
            piece('{"x": 1', 0),
            piece('{"y": 2}', 1),
            piece("}", 0),
        ]
    )
    assert whole is not None
    first, second = normalised_calls(whole, [])
    assert (first["name"], first["args"], second["name"], second["args"]) == (
        "a",
        {"x": 1},
        "b",
        {"y": 2},
    )


def test_whole_calls_without_an_index_stay_apart():
    whole = gathered([piece("{}", None, name="a", id=None), piece("{}", None, name="b", id=None)])
    assert whole is not None
    assert [call["name"] for call in normalised_calls(whole, [])] == ["a", "b"]


def test_pieces_without_an_index_go_on_with_the_last_call():
    pieces = [("a", '{"x"'), (None, ": 1}"), ("b", "{}")]
    whole = gathered([piece(args, None, name=name, id=None) for name, args in pieces])
    assert whole is not None
    assert [(call["name"], call["args"]) for call in normalised_calls(whole, [])] == [
        ("a", {"x": 1}),
        ("b", {}),
    ]


@pytest.mark.parametrize(
    "said",
    [
        {"finish_reason": "tool_calls", "model_provider": "openai"},
        {"model_provider": "openai"},
    ],
)
def test_a_reply_that_did_not_come_through_is_none(said):
    # C6: a technical fault, and no empty answer
    with pytest.raises(BrokenOff):
        gathered([part("", response_metadata=said), part("")])


def test_a_provider_that_gives_no_reasons_is_believed():
    assert gathered([part("a", response_metadata={"model_provider": "other"}), part("b")])
    told = {"model_provider": "openai", "status": "completed"}
    assert gathered([part("a", response_metadata=told), part("b")])


def test_a_finish_reason_said_twice_is_one():
    said = {"finish_reason": "length"}
    whole = gathered([part("a", response_metadata=said), part(response_metadata=said)])
    assert whole is not None
    assert is_cut(whole)


@pytest.mark.parametrize("reason", ["stop", "tool_calls", None, "", "STOP"])
def test_a_reply_that_ended_by_itself_is_not_cut(reason):
    # C6
    assert not is_cut(AIMessage("x", response_metadata={"finish_reason": reason}))


@pytest.mark.parametrize("reason", ["length", "content_filter", "MAX_TOKENS"])
def test_a_reply_that_was_stopped_is_cut(reason):
    # C6
    assert is_cut(AIMessage("x", response_metadata={"finish_reason": reason}))


def test_a_reply_in_one_part_is_itself():
    message = AIMessage("x")
    assert gathered([message]) is message


@pytest.mark.parametrize("parts", [[], [HumanMessage("x")], [part("a"), HumanMessage("x")]])
def test_what_is_no_reply(parts):
    assert gathered(parts) is None
