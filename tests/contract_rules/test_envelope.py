"""What the arguments of a tool call say, whatever a model wrote there (C2.1, C2.2)."""

import json
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from graph.contract.envelope import Envelope, Evaluation, parse_envelope
from graph.contract.vocabulary import InformationGain

NO_ARGUMENTS = Envelope(well_formed=False, malformed=("arguments",))
NO_EVALUATION = Envelope(well_formed=False, malformed=("previous_observation",))
JUDGED = {"tool_call_id": "call-1", "information_gain": "NO_GAIN"}
NO_GAIN = Evaluation("call-1", InformationGain.NO_GAIN)
DEEP = 200_000

NOT_OBJECTS: list[Any] = [
    None, True, False, 0, 42, -1.5, float("nan"), 10**400, "", " ", "x", "null", "true", "42", "[]",
    '"x"', "{", "{'input': {}}", "[{}]", [], [{}], ["input"], (), b"{}", {1: {}}, {None: {}},
]  # fmt: skip
NOT_GAINS: list[Any] = [
    None, "", "gained", "GAINED ", "MAYBE", "SATURATED", True, 1, ["GAINED"], {},
]  # fmt: skip


def unsound(*names: str) -> Envelope:
    """What is read where these parts of an evaluation are malformed."""
    parts = tuple(f"previous_observation.{name}" for name in names)
    return Envelope(well_formed=False, malformed=parts)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
envelopes = st.fixed_dictionaries(
    {},
    optional={
        "input": json_values | json_values.map(json.dumps),
        "previous_observation": json_values
        | st.fixed_dictionaries(
            {"tool_call_id": st.text(), "information_gain": st.sampled_from(["GAINED", "NO_GAIN"])}
        ),
    },
)


@pytest.mark.parametrize("arguments", NOT_OBJECTS, ids=repr)
def test_arguments_that_are_no_object_are_malformed(arguments: Any) -> None:
    # C2.2 INVALID_ENVELOPE
    assert parse_envelope(arguments) == NO_ARGUMENTS


@pytest.mark.parametrize("arguments", [{}, "{}", {"input": None}, '{"input": null}', {"x": 1}])
def test_an_object_without_input_is_well_formed_and_lacks_it(arguments: Any) -> None:
    # C2.2 MISSING_INPUT
    assert parse_envelope(arguments) == Envelope(well_formed=True, has_input=False)


@pytest.mark.parametrize("arguments", [{}, {"previous_observation": None}])
def test_null_counts_as_absent(arguments: dict[str, Any]) -> None:
    # C2.1
    envelope = parse_envelope({**arguments, "input": {"query": "q"}})
    assert envelope == Envelope(True, True, None, {"query": "q"})


@pytest.mark.parametrize("body", [{}, {"query": "q"}, {"query": {"nested": ["a", 1, None]}}])
@pytest.mark.parametrize("spell", [lambda value: value, json.dumps], ids=["object", "string"])
def test_input_arrives_without_loss_as_object_or_json_string(body: Any, spell: Any) -> None:
    # C2.2: a JSON string of an object is decoded first
    expected = Envelope(True, True, None, body)
    assert parse_envelope({"input": spell(body)}) == expected
    assert parse_envelope(json.dumps({"input": spell(body)})) == expected


@pytest.mark.parametrize("body", [value for value in NOT_OBJECTS if value is not None], ids=repr)
def test_input_of_another_type_is_there_but_no_object(body: Any) -> None:
    # C2.2 INVALID_INPUT: the tool's schema has nothing to accept
    assert parse_envelope({"input": body}) == Envelope(True, True, None, None)


@pytest.mark.parametrize("gain", list(InformationGain))
@pytest.mark.parametrize("spell", [lambda value: value, json.dumps], ids=["object", "string"])
def test_an_evaluation_is_read_as_object_or_json_string(gain: InformationGain, spell: Any) -> None:
    # C2.1 C2.2
    judged = {"tool_call_id": "call-1", "information_gain": gain.value}
    envelope = parse_envelope({"previous_observation": spell(judged), "input": {}})
    assert envelope == Envelope(True, True, Evaluation("call-1", gain), {})
    assert isinstance(envelope.evaluation.gain if envelope.evaluation else None, InformationGain)


@pytest.mark.parametrize(
    "previous", [value for value in NOT_OBJECTS if value is not None], ids=repr
)
def test_a_previous_observation_of_another_type_is_malformed(previous: Any) -> None:
    # C2.2 INVALID_ENVELOPE
    assert parse_envelope({"previous_observation": previous, "input": {}}) == NO_EVALUATION


@pytest.mark.parametrize(
    "change",
    [{"information_gain": value} for value in NOT_GAINS]
    + [{"tool_call_id": value} for value in (None, 1, True, ["call-1"], {"id": "call-1"})],
    ids=repr,
)
def test_an_unknown_gain_or_an_id_that_is_no_text_is_malformed(change: dict[str, Any]) -> None:
    # C2.2 INVALID_ENVELOPE, C4: the name of the part
    arguments = {"previous_observation": {**JUDGED, **change}, "input": {}}
    assert parse_envelope(arguments) == unsound(*change)
    assert parse_envelope(json.dumps(arguments)) == unsound(*change)


@pytest.mark.parametrize("missing", sorted(JUDGED))
def test_half_an_evaluation_is_malformed(missing: str) -> None:
    # C2.2 INVALID_ENVELOPE
    half = {name: value for name, value in JUDGED.items() if name != missing}
    assert parse_envelope({"previous_observation": half, "input": {}}) == unsound(missing)
    nothing = parse_envelope({"previous_observation": {}, "input": {}})
    assert nothing == unsound("tool_call_id", "information_gain")


def test_keys_beside_the_known_ones_are_tolerated() -> None:
    # C2.2: only what is malformed is refused
    arguments = {
        "previous_observation": {**JUDGED, "next_action": "STOP"},
        "input": {"query": "q"},
        "thought": {"stop_required": True},
    }
    assert parse_envelope(arguments) == Envelope(True, True, NO_GAIN, {"query": "q"})


def test_an_evaluation_is_read_even_where_the_input_is_missing() -> None:
    # C2.2: MISSING_INPUT, not INVALID_ENVELOPE
    assert parse_envelope({"previous_observation": JUDGED}) == Envelope(True, False, NO_GAIN, None)


def test_strings_are_decoded_once() -> None:
    # C2.2: an object in a string is decoded, a string in a string is not an object
    twice = json.dumps(json.dumps({"input": {}}))
    assert parse_envelope(twice) == NO_ARGUMENTS
    assert parse_envelope({"input": twice}).input is None
    assert parse_envelope({"previous_observation": json.dumps(json.dumps(JUDGED))}) == NO_EVALUATION


def test_strings_inside_the_input_stay_strings() -> None:
    # C2.2: decoded without loss
    body = {"keyword": '{"input": {"query": "q"}}', "sql": "null"}
    assert parse_envelope({"input": body}).input == body
    assert parse_envelope({"input": json.dumps(body)}).input == body


@pytest.mark.parametrize(
    "text",
    [
        "[" * DEEP,
        "[" * DEEP + "]" * DEEP,
        '{"input":' * DEEP,
        '{"input":' * DEEP + "1" + "}" * DEEP,
    ],
    ids=["open arrays", "arrays", "open objects", "objects"],
)
def test_nesting_deeper_than_the_decoder_goes_is_refused_not_raised(text: str) -> None:
    # C2.2
    assert parse_envelope(text) == NO_ARGUMENTS
    assert parse_envelope({"previous_observation": text, "input": {}}) == NO_EVALUATION
    assert parse_envelope({"input": text}) == Envelope(True, True, None, None)


def test_an_integer_longer_than_the_decoder_reads_is_refused_not_raised() -> None:
    # C2.2
    text = '{"limit": 1' + "0" * 10_000 + "}"
    assert parse_envelope(text) == NO_ARGUMENTS
    assert parse_envelope({"input": text}) == Envelope(True, True, None, None)
    assert parse_envelope({"input": {"limit": 10**10_000}}).input == {"limit": 10**10_000}


@given(json_values | envelopes)
@settings(deadline=None, derandomize=True)
def test_no_arguments_raise_and_a_string_of_them_says_the_same(arguments: Any) -> None:
    # C2.2
    envelope = parse_envelope(arguments)
    if isinstance(arguments, dict):
        assert envelope.well_formed or arguments.get("previous_observation") is not None
        assert parse_envelope(json.dumps(arguments)) == envelope
    if not envelope.well_formed:
        names = envelope.malformed
        assert names == (("arguments",) if not isinstance(arguments, dict) else names) != ()
        assert envelope == Envelope(well_formed=False, malformed=names)
