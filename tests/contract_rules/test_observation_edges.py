"""The exact byte at which an observation, a scope or a list of scopes no longer fits (C4, C8)."""

from typing import Any

import pytest

from tools.invocations import EvidenceItem, InvocationRecord
from tools.observation import (
    CheckedScope,
    Observation,
    RefusalView,
    StopNotice,
    bounded_scope,
    checked_scopes,
    cut_text,
    fit_evidence,
    observation_text,
    result_view,
    with_stop,
)

ROOMY = 8_192


def record(scope: dict[str, Any]) -> InvocationRecord:
    return InvocationRecord(
        key="key",
        run_id="run-1",
        tool="query_logs",
        tool_call_id="call-1",
        scope=scope,
        factual=True,
        status="READY",
        evidence=[],
        evidence_status="NO_EVIDENCE",
        relevance_level=None,
        truncated=False,
        total=0,
        bytes=0,
        error_code=None,
        retryable=False,
        failures=0,
        owner="owner",
        lease_expires_at=0.0,
        started_at=0.0,
        finished_at=1.0,
    )


def scope_of(size: int) -> dict[str, Any]:
    """A scope whose JSON takes exactly this many bytes."""
    return {"sql": "x" * (size - len('{"sql":""}'))}


def size(view: Observation) -> int:
    return len(observation_text(view).encode())


def items(*texts: str, start: int = 1) -> list[EvidenceItem]:
    return [
        EvidenceItem(id=f"e{place}", source="app.log", text=text)
        for place, text in enumerate(texts, start)
    ]


@pytest.mark.parametrize(
    ("scope", "room", "expected"),
    [
        ({"q": "abc"}, 11, {"q": "abc"}),
        ({"q": "abc"}, 10, {}),
        ({"q": "x" * 100, "n": 1}, 110, {"q": "x" * 12 + "…", "n": 1}),
        ({"q": "企" * 100, "n": 1}, 110, {"q": "企" * 4 + "…", "n": 1}),
        ({"q": "x" * 200, "r": "y" * 200}, 120, {"q": "x" * 16 + "…", "r": "y" * 16 + "…"}),
        ({"q": "x" * 200, "r": "y" * 16}, 120, {"q": "x" * 16 + "…", "r": "y" * 16}),
        ({"q": "x" * 200}, 30, {"q": "x" * 8 + "…"}),
        ({"q": "x" * 200}, 19, {"q": "x" * 8 + "…"}),
        ({"q": "x" * 200}, 18, {}),
    ],
)
def test_a_scope_is_whole_shortened_or_left_out(
    scope: dict[str, Any], room: int, expected: dict[str, Any]
) -> None:
    # C4: shortened visibly, each text to an even share of at least eight bytes
    assert bounded_scope(scope, room) == expected


def test_a_result_shows_two_kilobytes_of_scope_or_what_its_own_bound_leaves() -> None:
    # C4 C8: two hundred and fifty-six bytes are for the rest of the observation
    assert result_view(record(scope_of(2_048)), max_bytes=ROOMY).scope == scope_of(2_048)
    assert result_view(record(scope_of(2_049)), max_bytes=ROOMY).scope != scope_of(2_049)
    assert result_view(record(scope_of(300)), max_bytes=556).scope == scope_of(300)
    assert result_view(record(scope_of(300)), max_bytes=555).scope != scope_of(300)
    assert result_view(record({}), max_bytes=0).scope == {}


def test_a_checked_scope_is_shown_whole_up_to_four_hundred_bytes() -> None:
    # C4
    whole, cut = checked_scopes([record(scope_of(400)), record(scope_of(401))])
    assert whole.scope == scope_of(400)
    assert cut.scope["sql"].endswith("x…")


def test_a_stop_gives_up_its_earliest_scopes_one_at_a_time() -> None:
    # C4 C8
    checked = [CheckedScope(tool="query_logs", scope={"n": number}) for number in range(3)]
    view = RefusalView(tool_call_id="call-1", error_code="STOP_REQUIRED")
    for kept in (3, 2, 1):
        latest = StopNotice(reason="INFORMATION_SATURATED", checked=checked[3 - kept :])
        needed = size(view.model_copy(update={"stop_required": latest}))
        notice = StopNotice(reason="INFORMATION_SATURATED", checked=checked)
        stopped = with_stop(view, notice, max_bytes=needed)
        assert stopped == view.model_copy(update={"stop_required": latest})


@pytest.mark.parametrize("start", [1, 10, 100])
def test_evidence_fits_to_the_byte_whatever_its_id_takes(start: int) -> None:
    # C8: id, source, text and the comma are paid for; an empty text is an item too
    for texts in (("abc",), ("a" * 30, "b" * 30), ("",), ("", "")):
        given = items(*texts, start=start)
        keys = len('{"id":"","source":"app.log","text":""},')
        needed = sum(keys + len(item["id"]) + len(item["text"]) for item in given)
        assert fit_evidence(given, needed) == given
        assert fit_evidence(given, needed - 1) != given


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_a_text_is_cut_at_the_last_character_that_fits_in_any_room(width: int) -> None:
    # C8
    text = {1: "x", 2: "é", 3: "企", 4: "😀"}[width] * 20
    for room in range(20 * width + 2):
        assert cut_text(text, room) == text[: room // width]
