"""Canonical records of tool invocations: what was asked, what came back, and who may run it.

A record holds the bounded, projected result of one scope in one run, never the raw response (C5.2).
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, Protocol, TypeAlias

from typing_extensions import TypedDict

Decision: TypeAlias = Literal["RUN", "TAKEN_OVER", "WAIT", "READY"]


class InvocationStatus(StrEnum):
    STARTED = "STARTED"
    READY = "READY"
    ERROR = "ERROR"


class EvidenceItem(TypedDict):
    """Evidence as recorded and as shown to the model: the id is unique within its record."""

    id: str
    source: str
    text: str


class InvocationRecord(TypedDict):
    """One canonical record; JSON-able. Times are POSIX seconds, UTC."""

    key: str
    run_id: str
    tool: str
    tool_call_id: str
    scope: dict[str, Any]
    factual: bool
    status: str
    evidence: list[EvidenceItem]
    evidence_status: str | None
    relevance_level: str | None
    truncated: bool
    total: int | None
    bytes: int
    error_code: str | None
    retryable: bool
    failures: int
    owner: str
    lease_expires_at: float
    started_at: float
    finished_at: float | None


@dataclass(frozen=True, slots=True)
class Claim:
    """What `begin` decided: run it, wait for who runs it, or use what is READY (C5.1)."""

    decision: Decision
    record: InvocationRecord


class StoreUnavailable(Exception):
    """The store could not answer. The message names the store's kind, never its address."""

    code = "INVOCATION_STORE_UNAVAILABLE"


class LeaseLost(Exception):
    """Somebody else took the record over meanwhile; this owner's late result is dropped."""

    code = "INVOCATION_LEASE_LOST"


def claimed(stored: InvocationRecord | None, record: InvocationRecord, *, now: float) -> Claim:
    """What a claim of `record` finds: RUN and TAKEN_OVER carry the record to be stored (C5.1)."""
    decision: Decision
    match stored:
        case None | {"status": InvocationStatus.ERROR}:
            decision = "RUN"
        case {"status": InvocationStatus.READY}:
            return Claim("READY", stored)
        case _ if stored["lease_expires_at"] > now:
            return Claim("WAIT", stored)
        case _:
            decision = "TAKEN_OVER"
    claim = record.copy()
    claim["status"] = InvocationStatus.STARTED.value
    claim["failures"] = stored["failures"] if stored else 0
    return Claim(decision, claim)


def finished(
    stored: InvocationRecord | None, record: InvocationRecord, status: InvocationStatus
) -> InvocationRecord:
    """The record to be stored when its owner is done. Raises `LeaseLost` for anybody else."""
    if (
        stored is None
        or stored["status"] != InvocationStatus.STARTED
        or stored["owner"] != record["owner"]
    ):
        raise LeaseLost(record["tool"])
    done = record.copy()
    done["status"] = status.value
    done["failures"] = stored["failures"] + (status is InvocationStatus.ERROR)
    return done


class InvocationStore(Protocol):
    """Atomic begin, READY/ERROR transitions, reads. Every method may raise `StoreUnavailable`.

    `status` and `failures` are the store's: it sets them on every transition, and a new claim
    keeps the failures counted before it (C5.1). READY is final.
    """

    async def begin(self, record: InvocationRecord, *, now: float) -> Claim:
        """Claim `record["key"]`. New or ERROR: RUN. Live lease of another: WAIT.
        Expired lease: exactly one caller gets TAKEN_OVER. READY: the stored record."""
        ...

    async def mark_ready(self, record: InvocationRecord) -> None:
        """Store a finished result. Raises `LeaseLost` unless `owner` still holds the claim."""
        ...

    async def mark_error(self, record: InvocationRecord) -> None:
        """Store a technical failure. Raises `LeaseLost` unless `owner` still holds the claim."""
        ...

    async def find(self, key: str) -> InvocationRecord | None:
        """The record as it stands, or None when it is absent or expired."""
        ...

    async def aclose(self) -> None:
        """Release connections."""
        ...


class KeptStore(InvocationStore, Protocol):
    """A store whose records an operator can measure and remove."""

    async def prune(self, *, before: float) -> int:
        """Remove what last changed before that POSIX time, no live claim among it; how many."""
        ...

    async def size_bytes(self) -> int:
        """What the records take; an estimate where counting is dear."""
        ...
