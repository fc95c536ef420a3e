"""An observation shortened to its facts: ids, scope and each text's beginning (C4)."""

import json
from typing import Any

import pytest

from tests.release_rules.records import record
from tools.observation import (
    CheckedScope,
    FailureView,
    RefusalView,
    StopNotice,
    observation_text,
    result_view,
    with_stop,
)
from tools.short_observation import MAX_EVIDENCE_BYTES, MAX_TEXT_BYTES, short_observation

LINE = "2026-03-12T02:05:11Z ERROR MembershipLookup 映射为空 " + "detail " * 200


def observed(*texts: str, stop: StopNotice | None = None) -> str:
    kept = record(
        "c1",
        evidence=[
            {"id": f"e{number}", "source": f"app.log:{number}", "text": text}
            for number, text in enumerate(texts, start=1)
        ],
    )
    view: Any = result_view(kept, max_bytes=65_536)
    return observation_text(with_stop(view, stop, max_bytes=65_536) if stop else view)


def test_ids_scope_and_beginnings_stay() -> None:
    whole = observed(LINE, LINE)
    short = short_observation(whole)
    before, after = json.loads(whole), json.loads(short)
    assert len(short.encode()) < 1_000 < len(whole.encode())
    for key in ("status", "tool_call_id", "scope", "evidence_status"):
        assert after[key] == before[key]
    assert after["truncated"] is True
    for piece, full in zip(after["evidence"], before["evidence"], strict=True):
        assert (piece["id"], piece["source"]) == (full["id"], full["source"])
        # C6.2: what is still shown can be quoted, cut on a character
        assert full["text"].startswith(piece["text"])
        assert 100 < len(piece["text"].encode()) <= MAX_TEXT_BYTES


def test_many_pieces_are_bounded_too() -> None:
    short = json.loads(short_observation(observed(*[LINE] * 60)))
    kept = json.dumps(short["evidence"], ensure_ascii=False).encode()
    assert 500 < len(kept) <= MAX_EVIDENCE_BYTES + 200
    assert [piece["id"] for piece in short["evidence"]][:3] == ["e1", "e2", "e3"]


def test_the_stop_and_its_ledger_stay() -> None:
    # C3.9, C4
    notice = StopNotice(
        reason="INFORMATION_SATURATED", checked=[CheckedScope(tool="logs", scope={"k": "v"})]
    )
    short = json.loads(short_observation(observed(LINE, stop=notice)))
    assert short["stop_required"] == {
        "reason": "INFORMATION_SATURATED",
        "checked": [{"tool": "logs", "scope": {"k": "v"}}],
    }


@pytest.mark.parametrize(
    "content",
    [
        observation_text(FailureView(tool_call_id="c", error_code="X", retryable=True)),
        observation_text(RefusalView(tool_call_id="c", error_code="DUPLICATE_SCOPE")),
        observed("short"),
        observed(),
        "no JSON at all",
    ],
)
def test_what_is_short_or_no_result_stays_byte_for_byte(content: str) -> None:
    assert short_observation(content) == content


def test_it_is_the_same_every_time_and_shortens_once() -> None:
    short = short_observation(observed(LINE, LINE))
    assert short_observation(observed(LINE, LINE)) == short
    assert short_observation(short) == short
