"""Reads what a model said as one JSON object. Anything else around or inside it is no object.

Tolerated: one code fence, a leading reasoning block (also one whose opening tag stood in the
provider's template), and closing special tokens. Not tolerated: prose, calls written as text, a key
given twice, NaN, Infinity, nesting beyond the parser's depth, more than the stated sizes.
"""

import json
import re
from typing import Any, NoReturn

MAX_REPLY_CHARACTERS = 262_144
MAX_OBJECT_BYTES = 65_536
# bounds the work on hostile text; models send one block or two
_MAX_REASONING_BLOCKS = 16
_CLOSING_TOKENS_WITHIN = 64

_TAG = "think|thinking|thought|thoughts|reasoning|reflection"
_REASONING = (
    re.compile(rf"<({_TAG})>.*?</\1>\s*", re.DOTALL | re.IGNORECASE),
    re.compile(r"\[(think|reasoning)\].*?\[/\1\]\s*", re.DOTALL | re.IGNORECASE),
    re.compile(r"<\|(\w+)\|>.*?<\|/\1\|>\s*", re.DOTALL),
    re.compile(r"<\|(?:begin|start)_(?:of_)?(\w+)\|>.*?<\|end_(?:of_)?\1\|>\s*", re.DOTALL),
    re.compile(
        r"(?:<\|start\|>assistant)?<\|channel\|>analysis<\|message\|>.*?<\|end\|>\s*", re.DOTALL
    ),
    re.compile(
        r"(?:<\|start\|>assistant)?<\|channel\|>final(?: *<\|constrain\|>json)?<\|message\|>\s*"
    ),
    # the opening tag stood in the prompt; text that starts as an answer is not searched for one
    re.compile(rf"(?![{{`~]).*?</(?:{_TAG})>\s*", re.DOTALL | re.IGNORECASE),
)
_CLOSING_TOKENS = re.compile(r"(?:\s*(?:<\|\w+\|>|</s>))+\s*\Z")
_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*\w*\s*(\{.*\})\s*\1", re.DOTALL)


def read_object(text: str) -> dict[str, Any] | None:
    """The JSON object that `text` is, or None. Never raises."""
    if len(text) > MAX_REPLY_CHARACTERS:
        return None
    body = _unfenced(_without_closing_tokens(_without_reasoning(text.strip("\ufeff \t\r\n"))))
    if len(body) > MAX_OBJECT_BYTES or len(body.encode("utf-8", "replace")) > MAX_OBJECT_BYTES:
        return None
    try:
        value = json.loads(body, object_pairs_hook=_unambiguous, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _without_reasoning(text: str) -> str:
    position = 0
    for _ in range(_MAX_REASONING_BLOCKS):
        match = next(filter(None, (block.match(text, position) for block in _REASONING)), None)
        if match is None:
            break
        position = match.end()
    return text[position:]


def _without_closing_tokens(text: str) -> str:
    body, end = text[:-_CLOSING_TOKENS_WITHIN], text[-_CLOSING_TOKENS_WITHIN:]
    return body + _CLOSING_TOKENS.sub("", end)


def _unfenced(text: str) -> str:
    match = _FENCE.fullmatch(text)
    return match[2] if match else text


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError
