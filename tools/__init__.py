"""Evidence sources, the boundary they run behind, and the canonical records of what they found.

    evidence            what a source is
    scope, requests     "the same query", and the request that runs exactly that
    boundary            the one place where a tool runs
    observation         what the model sees of it
    invocations         canonical records and their stores
    knowledge, logs, sql, adapters   the sources

Importing this package does no I/O; the sources load their engines when they are first used.
"""

from typing import TYPE_CHECKING, Any

from tools.evidence import (
    Evidence,
    EvidenceStatus,
    EvidenceTool,
    RelevanceLevel,
    ToolFailure,
    ToolResult,
)
from tools.invocations import InvocationStore
from tools.invocations.memory import MemoryInvocationStore
from tools.invocations.redis import RedisInvocationStore
from tools.invocations.sqlite import SqliteInvocationStore

if TYPE_CHECKING:
    from tools.adapters import as_evidence_tool

__all__ = [
    "Evidence",
    "EvidenceStatus",
    "EvidenceTool",
    "InvocationStore",
    "MemoryInvocationStore",
    "RedisInvocationStore",
    "RelevanceLevel",
    "SqliteInvocationStore",
    "ToolFailure",
    "ToolResult",
    "as_evidence_tool",
]


def __getattr__(name: str) -> Any:
    """`as_evidence_tool` loads LangChain's tools, so it is imported when it is asked for."""
    if name == "as_evidence_tool":
        from tools.adapters import as_evidence_tool

        return as_evidence_tool
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
