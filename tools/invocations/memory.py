"""Canonical records in this process's memory: for runs that need not outlive it (C5.1, C5.2)."""

import json

from tools.invocations.records import Claim, InvocationRecord, InvocationStatus, claimed, finished


class MemoryInvocationStore:
    """`InvocationStore` over a dictionary. No method waits between its read and its write, so one
    event loop is one claimant at a time; a store belongs to one event loop.

    A record is kept as JSON: what a reader does to its copy changes nobody else's.
    """

    def __init__(self) -> None:
        self._records: dict[str, str] = {}

    async def begin(self, record: InvocationRecord, *, now: float) -> Claim:
        """As in the protocol."""
        claim = claimed(self._read(record["key"]), record, now=now)
        if claim.decision in ("RUN", "TAKEN_OVER"):
            self._write(claim.record)
        return claim

    async def mark_ready(self, record: InvocationRecord) -> None:
        """As in the protocol."""
        self._write(finished(self._read(record["key"]), record, InvocationStatus.READY))

    async def mark_error(self, record: InvocationRecord) -> None:
        """As in the protocol."""
        self._write(finished(self._read(record["key"]), record, InvocationStatus.ERROR))

    async def find(self, key: str) -> InvocationRecord | None:
        """As in the protocol; nothing expires here."""
        return self._read(key)

    async def prune(self, *, before: float) -> int:
        """As in the protocol."""
        old = [key for key in self._records if self._last_change(key) < before]
        for key in old:
            del self._records[key]
        return len(old)

    async def size_bytes(self) -> int:
        """The records as JSON, without what the dictionary takes."""
        return sum(len(record) for record in self._records.values())

    async def aclose(self) -> None:
        """The records are gone."""
        self._records.clear()

    def _read(self, key: str) -> InvocationRecord | None:
        stored = self._records.get(key)
        return None if stored is None else json.loads(stored)

    def _write(self, record: InvocationRecord) -> None:
        self._records[record["key"]] = json.dumps(record)

    def _last_change(self, key: str) -> float:
        record = self._read(key)
        assert record is not None, "only keys that are there are asked for"
        return max(record["lease_expires_at"], record["finished_at"] or 0.0)
