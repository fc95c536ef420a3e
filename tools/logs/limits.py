"""What the index may take, and what it does at once."""

from dataclasses import dataclass, field

from tools.logs.reader import ReadLimits

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class IndexLimits:
    """Files, bytes a file, memory and spilled bytes.

    Files from `segment_bytes` on (gzip counts tenfold) are kept on disk. Up to `at_once_bytes` of
    such unread files are read before a question is answered; of more, what may hold its keyword,
    at most `sighted_bytes`. A question that needs them all, or all of a service, waits for up to
    `awaited_bytes`, at most `patience_seconds`; beyond, the answer is partial and says so.
    """

    max_files: int = 20_000
    memory_mib: int = 384
    spill_mib: int = 8_192
    segment_bytes: int = 256 * 1024
    at_once_bytes: int = 24 * _MIB
    sighted_bytes: int = 24 * _MIB
    awaited_bytes: int = 64 * _MIB
    patience_seconds: float = 15.0
    read: ReadLimits = field(default_factory=ReadLimits)
