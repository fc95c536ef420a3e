"""What counts as one JSON object, and what never does."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.reply import MAX_OBJECT_BYTES, MAX_REPLY_CHARACTERS, read_object
from tests.release_rules.records import patient

OBJECT = '{"conclusion": null}'
VALUE = {"conclusion": None}

TOLERATED = {
    "plain": OBJECT,
    "white space and byte order mark": f"\ufeff \r\n\t{OBJECT}\n\n",
    "fence": f"```json\n{OBJECT}\n```",
    "fence without language": f"```\n{OBJECT}\n```",
    "fence on one line": f"```json {OBJECT} ```",
    "long fence": f"````\n{OBJECT}\n````",
    "tilde fence": f"~~~json\r\n{OBJECT}\r\n~~~",
    "think": f"<think>\nperhaps {{}}\n</think>\n\n{OBJECT}",
    "thinking in capitals": f"<THINKING>x</THINKING>{OBJECT}",
    "reasoning, then fence": f"<reasoning>x</reasoning>\n```json\n{OBJECT}\n```",
    "two blocks": f"<think>a</think>\n<reflection>b</reflection>\n{OBJECT}",
    "block opened by the template": f"so it is null\n</think>\n{OBJECT}",
    "nested block": f"<think>a<think>b</think>c</think>{OBJECT}",
    "square brackets": f"[THINK]x[/THINK]{OBJECT}",
    "bar tags": f"<|thinking|>x<|/thinking|>\n{OBJECT}",
    "begin and end of": f"<|begin_of_thought|>x<|end_of_thought|>{OBJECT}",
    "channels": "<|channel|>analysis<|message|>x<|end|><|start|>assistant"
    f"<|channel|>final<|message|>{OBJECT}<|return|>",
    "constrained channel": f"<|channel|>final <|constrain|>json<|message|>{OBJECT}",
    "closing tokens": f"{OBJECT}\n<|im_end|></s>",
}

REFUSED = {
    "empty": "",
    "white space": " \n",
    "prose": "Everything is fine.",
    "prose before": f"Here it is: {OBJECT}",
    "prose after": f"{OBJECT}\nHope that helps.",
    "prose before a fence": f"Here:\n```json\n{OBJECT}\n```",
    "prose after a fence": f"```json\n{OBJECT}\n```\nDone.",
    "a letter before": f"X{OBJECT}",
    "a letter after": f"{OBJECT}X",
    "two objects": f"{OBJECT}\n{OBJECT}",
    "two fences": f"```json\n{OBJECT}\n```\n```json\n{OBJECT}\n```",
    "reasoning only": f"<think>{OBJECT}</think>",
    "reasoning never closed": f"<think>{OBJECT}",
    "reasoning behind it": f"{OBJECT}<think>x</think>",
    "tool call in tags": '<tool_call>{"name": "search", "arguments": {}}</tool_call>',
    "tool call before it": f'<tool_call>{{"name": "search"}}</tool_call>\n{OBJECT}',
    "tool channel": f"<|channel|>commentary to=functions.search<|message|>{OBJECT}",
    "array": f"[{OBJECT}]",
    "text": '"conclusion"',
    "number": "1",
    "null": "null",
    "cut off": '{"conclusion": nu',
    "single quotes": "{'conclusion': None}",
    "comment": '{"conclusion": null /* really */}',
    "trailing comma": '{"conclusion": null,}',
    "not a number": '{"conclusion": null, "score": NaN}',
    "infinity": '{"conclusion": null, "score": -Infinity}',
    "a key twice": '{"conclusion": null, "conclusion": "x"}',
    "a key twice below": '{"conclusion": null, "limitations": {"notes": [], "notes": []}}',
    "too deep": '{"conclusion": ' + "[" * 30_000 + "]" * 30_000 + "}",
    "digits without end": '{"conclusion": null, "n": ' + "1" * 5_000 + "}",
}


@pytest.mark.parametrize("text", TOLERATED.values(), ids=TOLERATED.keys())
def test_tolerated(text):
    # api.md: code fences and a leading reasoning block are tolerated
    assert read_object(text) == VALUE


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_refused(text):
    # C6: text that is none
    assert read_object(text) is None


def test_an_answer_that_quotes_a_closing_tag_is_not_cut():
    text = '{"conclusion": "log says </think> {}"}'
    assert read_object(text) == {"conclusion": "log says </think> {}"}
    assert read_object(f"```json\n{text}\n```") == {"conclusion": "log says </think> {}"}


def test_a_fence_inside_a_value_does_not_end_the_fence():
    value = {"conclusion": "run\n```\nx\n```"}
    assert read_object(f"```json\n{json.dumps(value)}\n```") == value


@pytest.mark.parametrize(("extra", "read"), [(0, True), (1, False)])
def test_largest_object(extra, read):
    padding = MAX_OBJECT_BYTES - len('{"conclusion": ""}') + extra
    assert (read_object(json.dumps({"conclusion": "x" * padding})) is not None) is read


@pytest.mark.parametrize(("extra", "read"), [(0, True), (1, False)])
def test_largest_object_in_bytes_of_utf8(extra, read):
    padding = MAX_OBJECT_BYTES - len('{"conclusion": ""}')
    text = "字" * (padding // 3) + "x" * (padding % 3 + extra)
    reply = json.dumps({"conclusion": text}, ensure_ascii=False)
    assert (read_object(reply) is not None) is read


@pytest.mark.parametrize(("extra", "read"), [(0, True), (1, False)])
def test_longest_reply(extra, read):
    filler = "x" * (MAX_REPLY_CHARACTERS - len(f"<think></think>{OBJECT}") + extra)
    assert (read_object(f"<think>{filler}</think>{OBJECT}") is not None) is read


@pytest.mark.parametrize(
    "opening", ["<think>", "[think]", "</think>", "<|a|>", "```", "{", '{"a":']
)
def test_repeated_openings_end(opening):
    assert read_object(opening * (MAX_REPLY_CHARACTERS // len(opening))) is None


@patient
@given(st.text())
def test_any_text_is_an_object_or_nothing(text):
    assert read_object(text) is None or isinstance(read_object(text), dict)


@patient
@given(
    st.text(st.characters(codec=None)),
    st.sampled_from(["{}", "<think>{}", "<think>{}</think>", "```{}", "```json\n{{{}}}\n```"]),
)
def test_any_text_in_a_frame_never_raises(text, frame):
    read_object(frame.format(text))


@patient
@given(
    st.dictionaries(
        st.text(),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner, max_size=4),
            max_leaves=6,
        ),
        max_size=4,
    )
)
def test_every_object_comes_back_as_it_was(value):
    text = json.dumps(value, ensure_ascii=False)
    assert read_object(text) == value
    assert read_object(f"<think>hm</think>\n```json\n{text}\n```") == value
