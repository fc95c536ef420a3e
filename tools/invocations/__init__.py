"""Canonical records of tool invocations and the stores that keep them.

- `records`: what a record holds, the protocol of a store, and what a claim and its end mean
- `memory`, `sqlite` (on its `worker_thread`), `redis` (with its `redis_clients`, `redis_layout`,
  `redis_faults` and `redis_upkeep`): the stores
"""

from tools.invocations.records import (
    Claim,
    Decision,
    EvidenceItem,
    InvocationRecord,
    InvocationStatus,
    InvocationStore,
    KeptStore,
    LeaseLost,
    StoreUnavailable,
    claimed,
    finished,
)

__all__ = [
    "Claim",
    "Decision",
    "EvidenceItem",
    "InvocationRecord",
    "InvocationStatus",
    "InvocationStore",
    "KeptStore",
    "LeaseLost",
    "StoreUnavailable",
    "claimed",
    "finished",
]
