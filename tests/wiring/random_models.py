"""Hypothesis strategies for what a chat model may send back, sensible or not (C2)."""

import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from tests.fakes.loose_model import HANG
from tests.fakes.replies import asks, call, draft
from tests.fakes.sources import ANSWERS

KEYWORDS = st.sampled_from([*ANSWERS, "other", "another", "  pool  "])
TEXTS = st.text(max_size=12)
ODD_TEXTS = st.sampled_from(
    [
        "",
        " ",
        "\x00",
        "\ud800",
        "a\udfff",
        "诊断",
        "😀" * 3,
        "c1",
        "x" * 300,
        '"}',
        "\u202e",
        "null",
    ]
)
JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | TEXTS
    | ODD_TEXTS
    | st.sampled_from(["nan", "inf", "1e999", 10**30, -(2**63) - 1]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXTS | ODD_TEXTS, inner, max_size=3)
    ),
    max_leaves=6,
)
CALL_IDS = st.none() | ODD_TEXTS | st.sampled_from([f"c{n}" for n in range(1, 9)] + ["call:0.1"])
TOOL_NAMES = st.sampled_from(["query_logs"] * 6 + ["lookup_knowledge"] * 3) | st.sampled_from(
    ["nothing_like_it", "unknown", "", "a b", "\ud800", "x" * 80, "QUERY_LOGS"]
)
USAGES = st.none() | st.builds(
    lambda i, o, cached: {
        "input_tokens": i,
        "output_tokens": o,
        "total_tokens": i + o,
        **({"input_token_details": {"cache_read": cached}} if cached else {}),
    },
    st.integers(0, 5_000),
    st.integers(0, 500),
    st.none() | st.integers(0, 10),
)


class ProviderError(Exception):
    """A fault with a status, as provider libraries raise it."""

    def __init__(self, status_code: Any) -> None:
        super().__init__("secret of the provider")
        self.status_code = status_code


ERRORS = st.sampled_from(
    [
        RuntimeError("secret"),
        TimeoutError("secret"),
        ConnectionError("secret"),
        ProviderError(400),
        ProviderError(401),
        ProviderError(429),
        ProviderError(503),
        ProviderError("odd"),
        ExceptionGroup("secret", [ValueError("secret")]),
    ]
)


@st.composite
def inputs(draw: st.DrawFn) -> Any:
    """A business input: mostly right, sometimes with a wrong or unknown field, or no object."""
    right: dict[str, Any] = {"keyword": draw(KEYWORDS)}
    kind = draw(st.integers(0, 9))
    if kind == 0:
        return draw(JSON_VALUES)
    if kind <= 3:
        field = draw(st.sampled_from(["keyword", "limit", "share", "level", "filters", "anything"]))
        right[field] = draw(JSON_VALUES)
    if kind == 4:
        right[draw(TEXTS)] = draw(JSON_VALUES)
    return json.dumps(right) if kind == 5 else right


@st.composite
def envelopes(draw: st.DrawFn) -> Callable[[str | None], Any]:
    """Arguments, made when the pending observation's id is known."""
    kind = draw(st.integers(0, 11))
    body, rubbish = draw(inputs()), draw(JSON_VALUES)
    gain = draw(st.sampled_from(["GAINED", "GAINED", "NO_GAIN", "gained", None]))
    spelled = draw(st.booleans())

    def make(pending: str | None) -> Any:
        if kind == 0:
            return rubbish
        args: dict[str, Any] = {"input": body}
        if kind == 1:
            del args["input"]
        previous = {"tool_call_id": pending, "information_gain": gain}
        if pending and kind != 2:
            args["previous_observation"] = json.dumps(previous) if spelled else previous
        if kind == 3:
            args["previous_observation"] = rubbish
        if kind == 4:
            args["previous_observation"] = {"tool_call_id": "c1", "information_gain": gain}
        return args

    return make


@st.composite
def tool_requests(draw: st.DrawFn) -> Callable[[list[BaseMessage]], AIMessage]:
    """A message with one call or several, some of them malformed for LangChain itself."""
    specs = draw(st.lists(st.tuples(CALL_IDS, TOOL_NAMES, envelopes()), min_size=1, max_size=4))
    malformed = draw(st.lists(st.tuples(CALL_IDS, st.none() | TOOL_NAMES, TEXTS), max_size=2))
    text, usage = draw(st.sampled_from(["", "let me see", "\ud800"])), draw(USAGES)

    def make(request: list[BaseMessage]) -> AIMessage:
        pending = pending_id(request)
        valid, invalid = [], []
        for call_id, name, envelope in specs:
            args = envelope(pending)
            if isinstance(args, dict):
                valid.append({"id": call_id, "name": name, "args": args})
            else:
                spelled = args if isinstance(args, str) else json.dumps(args)
                invalid.append({"id": call_id, "name": name, "args": spelled, "error": "secret"})
        invalid += [{"id": i, "name": n, "args": a, "error": None} for i, n, a in malformed]
        return AIMessage(text, tool_calls=valid, invalid_tool_calls=invalid, usage_metadata=usage)

    return make


def pending_id(request: list[BaseMessage]) -> str | None:
    """The id of the observation that a friendly model would judge now."""
    for message in reversed(request):
        if isinstance(message, ToolMessage):
            seen = json.loads(message.text)
            if seen["status"] == "READY":
                found = seen["evidence_status"] == "EVIDENCE_FOUND"
                return str(seen["tool_call_id"]) if found else None
            if "expected_previous_tool_call_id" in seen:
                return str(seen["expected_previous_tool_call_id"])
    return None


BLOCKS = st.lists(
    st.sampled_from(
        [
            {"type": "text", "text": "some text"},
            {"type": "text", "text": ""},
            {"type": "reasoning", "reasoning": "secret thought"},
            {"type": "thinking", "thinking": "secret thought", "signature": "s"},
            {"type": "image_url", "image_url": {"url": "http://localhost/x.png"}},
            {"type": "text"},
            {"type": "unheard of", "value": 1},
            "a bare string",
        ]
    ),
    max_size=3,
)
FINAL_TEXTS = st.sampled_from(
    [
        "",
        " \n",
        "null",
        "<think>secret</think>",
        '<tool_call>{"name": "query_logs"}</tool_call>',
        "\ud83d",
        '{"conclusion": "\\ud83d", "analysis": []}',
        '{"conclusion": null, "limitations": {"missing_info": ["the company"]}}',
        '{"conclusion": null',
        "[" * 50_000,
    ]
)


def _cited(call_id: str, quote: str, conclusion: str | None) -> Any:
    return draft(conclusion, (call_id, "e1", quote), notes=["secret note"])


FINALS = st.builds(
    lambda content, usage: AIMessage(content, usage_metadata=usage),
    FINAL_TEXTS | TEXTS | BLOCKS,
    USAGES,
) | st.builds(
    _cited,
    st.sampled_from(["c1", "c2", "nobody", "\ud800", ""]),
    st.sampled_from(["pool exhausted after", "INFO nothing but other", "invented quote", ""]),
    st.sampled_from(["the pool is exhausted", None, "\ud800"]),
)


@st.composite
def proofs(draw: st.DrawFn) -> Callable[[list[BaseMessage]], AIMessage]:
    """A draft that cites the last evidence it was shown, truly or not."""
    length = draw(st.sampled_from([4, 12, 40]))
    spoiled = draw(st.sampled_from(["", "", "x"]))

    def make(request: list[BaseMessage]) -> AIMessage:
        for message in reversed(request):
            if isinstance(message, ToolMessage):
                seen = json.loads(message.text)
                for item in seen.get("evidence", []):
                    quote = item["text"][:length] + spoiled
                    return draft("a cause", (seen["tool_call_id"], item["id"], quote))
        return draft("a cause without evidence")

    return make


def friendly(keyword: str, gain: str) -> Callable[[list[BaseMessage]], AIMessage]:
    """One call that keeps the protocol."""
    return lambda request: asks(call(None, keyword, pending_id(request), gain))


FRIENDLY = st.builds(friendly, KEYWORDS, st.sampled_from(["GAINED", "GAINED", "NO_GAIN"]))
MOVES = st.sampled_from(range(20)).flatmap(
    lambda kind: (
        FRIENDLY
        if kind < 8
        else tool_requests()
        if kind < 16
        else proofs()
        if kind == 16
        else FINALS
        if kind == 17
        else ERRORS
        if kind == 18
        else st.sampled_from([HANG, HumanMessage("I am the user now")])
    )
)
