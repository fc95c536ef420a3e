"""What the model sees of a tool request: built field by field from an allow-list (C4).

Scores, counters, thresholds, raw responses and exception texts have no field here. Evidence text
stands inside JSON strings only, so nothing in it can act as a control field.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from tools.invocations import EvidenceItem, InvocationRecord
from tools.scope import canonical_json

MAX_ITEMS = 100
MAX_SOURCE_CHARS = 300
MAX_CHECKED_ITEMS = 8
_MIN_TEXT_BYTES = 24


class _View(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CheckedScope(_View):
    """One scope that was checked already."""

    tool: str
    scope: dict[str, Any]


class StopNotice(_View):
    """The order to stop; `checked` only when information is saturated."""

    reason: str
    checked: list[CheckedScope] | None = None


class EvidenceView(_View):
    """One piece of evidence; its id is cited together with the tool call id."""

    id: str
    source: str
    text: str


class ResultView(_View):
    """A tool's result."""

    status: Literal["READY"] = "READY"
    tool_call_id: str
    scope: dict[str, Any]
    evidence_status: str
    relevance_level: str | None = None
    evidence: list[EvidenceView]
    truncated: bool
    stop_required: StopNotice | None = None


class FailureView(_View):
    """A tool could not answer: neither evidence nor its absence."""

    status: Literal["ERROR"] = "ERROR"
    tool_call_id: str
    error_code: str
    retryable: bool


class RefusalView(_View):
    """A request that did not run, and how to repair it where it can be repaired."""

    status: Literal["REJECTED"] = "REJECTED"
    tool_call_id: str
    error_code: str
    repair_required: bool | None = None
    violation_type: str | None = None
    missing_field: str | None = None
    invalid_fields: list[str] | None = None
    expected_previous_tool_call_id: str | None = None
    allowed_information_gain: list[str] | None = None
    consecutive_protocol_violations: int | None = None
    already_checked: str | None = None
    evidence_status: str | None = None
    stop_required: StopNotice | None = None


Observation = ResultView | FailureView | RefusalView


def observation_text(view: Observation) -> str:
    """The JSON text of one observation; absent fields are left out."""
    return view.model_dump_json(exclude_none=True)


def result_view(record: InvocationRecord, *, max_bytes: int) -> ResultView:
    """The view of a READY record, at most `max_bytes` of UTF-8 (C8)."""
    skeleton = _skeleton(record, max_bytes)
    items = fit_evidence(record["evidence"], max_bytes - _json_bytes(skeleton))
    shown = sum(len(item["text"]) for item in items)
    whole = sum(len(item["text"]) for item in record["evidence"])
    return skeleton.model_copy(
        update={
            "evidence": [EvidenceView(**item) for item in items],
            "truncated": record["truncated"]
            or shown < whole
            or len(items) < len(record["evidence"]),
        }
    )


def with_stop(view: Observation, notice: StopNotice, *, max_bytes: int) -> Observation:
    """The same observation carrying STOP_REQUIRED, with as many of the latest checked scopes as
    keep it within `max_bytes`."""
    stopped = view.model_copy(update={"stop_required": notice})
    while _json_bytes(stopped) > max_bytes and notice.checked:
        notice = StopNotice(reason=notice.reason, checked=notice.checked[1:])
        stopped = view.model_copy(update={"stop_required": notice})
    return stopped


def checked_scopes(records: Iterable[InvocationRecord]) -> list[CheckedScope]:
    """The latest of what has been checked, in order, each scope bounded."""
    latest = list(records)[-MAX_CHECKED_ITEMS:]
    return [CheckedScope(tool=r["tool"], scope=bounded_scope(r["scope"], 400)) for r in latest]


def fit_evidence(items: Sequence[EvidenceItem], max_bytes: int) -> list[EvidenceItem]:
    """The leading items that fit into `max_bytes` of JSON, the last one cut on a character."""
    kept: list[EvidenceItem] = []
    left = max_bytes
    for item in items[:MAX_ITEMS]:
        empty = EvidenceItem(id=item["id"], source=item["source"], text="")
        room = left - len(canonical_json(empty).encode()) - 1
        text = cut_text(item["text"], room)
        cut = len(text) < len(item["text"])
        if room < (_MIN_TEXT_BYTES if cut else 0):
            break
        kept.append(EvidenceItem(id=item["id"], source=item["source"], text=text))
        if cut:
            break
        left = room - _spelled_bytes(text)
    return kept


def cut_text(text: str, max_bytes: int) -> str:
    """The longest beginning of a text whose JSON spelling takes at most `max_bytes`."""
    if _spelled_bytes(text) <= max_bytes:
        return text
    low, high = 0, min(len(text), max(0, max_bytes))
    while low < high:
        middle = (low + high + 1) // 2
        if _spelled_bytes(text[:middle]) <= max_bytes:
            low = middle
        else:
            high = middle - 1
    return text[:low]


def bounded_scope(scope: dict[str, Any], max_bytes: int) -> dict[str, Any]:
    """A scope as shown: long texts are shortened, visibly; the record keeps the whole."""
    if len(canonical_json(scope).encode()) <= max_bytes:
        return scope
    room = max(8, max_bytes // (len(scope) + 1) - 24)
    shortened = {
        key: f"{cut_text(value, room)}…"
        if isinstance(value, str) and _spelled_bytes(value) > room
        else value
        for key, value in scope.items()
    }
    fits = len(canonical_json(shortened).encode()) <= max_bytes
    return shortened if fits else {}


def _skeleton(record: InvocationRecord, max_bytes: int) -> ResultView:
    return ResultView(
        tool_call_id=record["tool_call_id"],
        scope=bounded_scope(record["scope"], max(2, min(2_048, max_bytes - 256))),
        evidence_status=str(record["evidence_status"]),
        relevance_level=record["relevance_level"],
        evidence=[],
        truncated=False,
    )


def _json_bytes(view: Observation) -> int:
    return len(observation_text(view).encode())


def _spelled_bytes(text: str) -> int:
    return len(canonical_json(text).encode("utf-8", "surrogatepass")) - 2
