"""The one place where a tool runs: claim, run in time, project, mark READY or ERROR (C5.1)."""

import asyncio
import math
import re
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from tools.evidence import EvidenceStatus, EvidenceTool, RelevanceLevel, ToolFailure, ToolResult
from tools.invocations import (
    EvidenceItem,
    InvocationRecord,
    InvocationStatus,
    InvocationStore,
    LeaseLost,
    StoreUnavailable,
)
from tools.masking import Masker
from tools.observation import MAX_ITEMS, MAX_SOURCE_CHARS, result_view
from tools.requests import PreparedRequest
from tools.scope import invocation_key
from tools.shielded import in_time, to_its_end

LEASE_MARGIN_SECONDS = 5.0
POLL_SECONDS = 0.05
CANCELLED_CODE = "TOOL_CANCELLED"
GIVE_BACK_SECONDS = 5.0
_CODE = re.compile(r"[A-Z][A-Z0-9_]{0,63}\Z")


@dataclass(frozen=True, slots=True)
class Invocation:
    """One admitted request. `timeout_seconds` bound the adapter, `left_seconds` it and the wait for
    another owner, bytes the observation. `run_key`, the run's own secret, makes marks and keys."""

    run_id: str
    run_key: str
    tool_call_id: str
    tool: EvidenceTool[Any]
    prepared: PreparedRequest
    timeout_seconds: float
    max_bytes: int
    left_seconds: float = math.inf


@dataclass(frozen=True, slots=True)
class Outcome:
    """The record as it stands now. `reused`: nothing ran; `taken_over`: a dead owner's claim."""

    record: InvocationRecord
    duration_ms: int
    reused: bool = False
    taken_over: bool = False


class ToolBoundary:
    """Runs tools against the canonical store. Never raises for what a tool or the store does."""

    def __init__(self, store: InvocationStore, *, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock

    async def invoke(self, call: Invocation) -> Outcome:
        """Run one request, or reuse its record. A technical failure is an ERROR record, and so is
        a cancelled claim: its lease holds nobody up, and what the tool still brings is dropped."""
        started = time.monotonic()
        record = self._new_record(call)
        try:
            outcome = await self._claimed(call, record)
        except (StoreUnavailable, LeaseLost) as error:
            outcome = Outcome(_failed(record, error.code, True, self._clock()), 0)
        return replace(outcome, duration_ms=int((time.monotonic() - started) * 1000))

    async def find(self, keys: Mapping[str, Any] | list[str]) -> dict[str, InvocationRecord | None]:
        """The records of these keys; None for each that cannot be read now. They are asked for
        together: a store that does not answer is waited for once, not once a record."""
        found = await asyncio.gather(*(self._readable(key) for key in keys))
        return dict(zip(keys, found, strict=True))

    async def _readable(self, key: str) -> InvocationRecord | None:
        try:
            return await self._store.find(key)
        except StoreUnavailable:
            return None

    async def _claimed(self, call: Invocation, record: InvocationRecord) -> Outcome:
        end = self._clock() + call.left_seconds
        patience = min(end, self._clock() + 2 * (call.timeout_seconds + LEASE_MARGIN_SECONDS))
        while True:
            try:
                outcome = await self._claim(call, record)
            except asyncio.CancelledError:
                await to_its_end(self._given_back(record), seconds=GIVE_BACK_SECONDS)
                raise
            if outcome is not None:
                return outcome
            if self._clock() > patience:
                return Outcome(_failed(record, "INVOCATION_BUSY", True, self._clock()), 0)
            await asyncio.sleep(POLL_SECONDS)
            left = max(0.0, end - self._clock())
            call = replace(call, timeout_seconds=min(call.timeout_seconds, left))
            record = self._new_record(call)

    async def _claim(self, call: Invocation, record: InvocationRecord) -> Outcome | None:
        """None while somebody else runs it."""
        claim = await self._store.begin(record, now=self._clock())
        match claim.decision:
            case "READY":
                return Outcome(claim.record, 0, reused=True)
            case "RUN" | "TAKEN_OVER":
                finished = await self._run(call, record)
                return Outcome(finished, 0, taken_over=claim.decision == "TAKEN_OVER")
            case "WAIT":
                return None

    async def _given_back(self, record: InvocationRecord) -> None:
        with suppress(StoreUnavailable, LeaseLost):
            await self._store.mark_error(_failed(record, CANCELLED_CODE, True, self._clock()))

    async def _run(self, call: Invocation, record: InvocationRecord) -> InvocationRecord:
        failure: ToolFailure
        try:
            ready = self._projected(call, record, await _searched(call))
        except ToolFailure as raised:
            failure = raised
        except TimeoutError:
            failure = ToolFailure("TOOL_TIMEOUT", retryable=True)
        except Exception:  # noqa: BLE001 - any adapter's fault; it ends as a named failure, its text dropped
            failure = ToolFailure("TOOL_FAILED", retryable=False)
        else:
            await self._store.mark_ready(ready)
            return ready
        error = _failed(
            record, _stable_code(failure.code), failure.retryable is True, self._clock()
        )
        await self._store.mark_error(error)
        return error

    def _projected(
        self, call: Invocation, record: InvocationRecord, result: ToolResult
    ) -> InvocationRecord:
        masked = Masker(call.run_key).evidence(
            result.evidence[:MAX_ITEMS], max_bytes=call.max_bytes
        )
        items = [
            EvidenceItem(
                id=f"e{number}",
                source=_clean(piece.source)[:MAX_SOURCE_CHARS],
                text=_clean(piece.text),
            )
            for number, piece in enumerate(masked, start=1)
        ]
        status = EvidenceStatus.EVIDENCE_FOUND if items else EvidenceStatus.NO_EVIDENCE
        ready: InvocationRecord = {
            **record,
            "status": InvocationStatus.READY.value,
            "evidence": items,
            "evidence_status": status.value,
            "relevance_level": _relevance(call.tool, result),
            "truncated": bool(result.truncated) or len(result.evidence) > len(masked),
            "total": _count(result.total),
            "finished_at": self._clock(),
        }
        view = result_view(ready, max_bytes=call.max_bytes)
        bounded = [EvidenceItem(id=e.id, source=e.source, text=e.text) for e in view.evidence]
        size = sum(len(item["text"].encode()) for item in bounded)
        return {**ready, "evidence": bounded, "truncated": view.truncated, "bytes": size}

    def _new_record(self, call: Invocation) -> InvocationRecord:
        now = self._clock()
        return InvocationRecord(
            key=invocation_key(call.run_key, call.prepared.scope_key),
            run_id=call.run_id,
            tool=call.tool.name,
            tool_call_id=call.tool_call_id,
            scope=Masker(call.run_key).scope(call.prepared.scope),
            factual=call.tool.factual,
            status=InvocationStatus.STARTED.value,
            evidence=[],
            evidence_status=None,
            relevance_level=None,
            truncated=False,
            total=None,
            bytes=0,
            error_code=None,
            retryable=False,
            failures=0,
            owner=uuid.uuid4().hex,
            lease_expires_at=now + call.timeout_seconds + LEASE_MARGIN_SECONDS,
            started_at=now,
            finished_at=None,
        )


async def _searched(call: Invocation) -> ToolResult:
    """What the adapter found in its time. Raises what it raises, `TimeoutError`, or a failure for
    what is no result; a cancellation only from who runs the graph."""
    if call.prepared.failure is not None:
        raise call.prepared.failure
    search = await in_time(call.tool.search(call.prepared.request), seconds=call.timeout_seconds)
    if search is None:
        raise TimeoutError
    if search.cancelled() or not isinstance(search.result(), ToolResult):
        raise ToolFailure("TOOL_FAILED", retryable=False)
    return search.result()


def _stable_code(code: object) -> str:
    """A code fit for models and traces; anything else may be a text and is dropped."""
    return code if isinstance(code, str) and _CODE.match(code) else "TOOL_FAILED"


def _count(value: object) -> int | None:
    """A number of matches, or None where the source gave no such thing."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return None
    return value


def _failed(record: InvocationRecord, code: str, retryable: bool, now: float) -> InvocationRecord:
    return {
        **record,
        "status": InvocationStatus.ERROR.value,
        "error_code": code,
        "retryable": retryable,
        "finished_at": now,
    }


def _relevance(tool: EvidenceTool[Any], result: ToolResult) -> str | None:
    """Knowledge carries a level, REFERENCE when it names none; factual sources none (C5.4)."""
    if tool.factual or not result.evidence:
        return None
    direct = result.relevance_level == RelevanceLevel.DIRECT
    return (RelevanceLevel.DIRECT if direct else RelevanceLevel.REFERENCE).value


def _clean(text: str) -> str:
    """Text that can be encoded: lone surrogates become replacement marks."""
    return text.encode("utf-8", "replace").decode("utf-8")
