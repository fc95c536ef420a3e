"""What a saver wrote for its threads, in bytes: rows, columns, and what a checkpoint is made of."""

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

_SERDE = JsonPlusSerializer()
_PARTS = ("channel_values", "channel_versions", "versions_seen")
_AT_BOTH_ENDS = ("messages", "release")


@dataclass(frozen=True, slots=True)
class Stored:
    """Sums over the rows, without keys and indexes; `file` is what the disk gives for it all."""

    checkpoints: int
    metadata: int
    writes: int
    file: int

    @property
    def rows(self) -> int:
        """All that was handed to the store."""
        return self.checkpoints + self.metadata + self.writes


def stored_bytes(path: Path) -> Stored:
    """The sizes of a saver's SQLite file that nobody holds open."""
    with closing(sqlite3.connect(path)) as database:
        checkpoints, metadata = database.execute(
            "SELECT sum(length(checkpoint)), sum(length(metadata)) FROM checkpoints"
        ).fetchone()
        (writes,) = database.execute("SELECT sum(length(value)) FROM writes").fetchone()
    return Stored(checkpoints, metadata, writes, path.stat().st_size)


def written_by_channel(path: Path) -> list[tuple[str, int, int]]:
    """Channel, rows and bytes of the writes, the heaviest first."""
    with closing(sqlite3.connect(path)) as database:
        return database.execute(
            "SELECT channel, count(*), sum(length(value)) AS bytes FROM writes"
            " GROUP BY channel ORDER BY bytes DESC, channel"
        ).fetchall()


def checkpoint_parts(path: Path) -> Counter[str]:
    """Bytes of all checkpoints by part."""
    parts: Counter[str] = Counter()
    for checkpoint, size in _checkpoints(path):
        sizes = {part: _packed(checkpoint[part]) for part in _PARTS}
        parts.update(sizes)
        parts["id, time"] += size - sum(sizes.values())
    return parts


def version_bytes(path: Path) -> int:
    """What the versions themselves take in all checkpoints, the names of channels aside."""
    return sum(
        _packed(version)
        for checkpoint, _ in _checkpoints(path)
        for versions in (checkpoint["channel_versions"], *checkpoint["versions_seen"].values())
        for version in versions.values()
    )


def plain_channel_bytes(path: Path) -> int:
    """The largest sum of values that stand whole in one checkpoint, but for a run's begin and end,
    which hold it whole by design."""
    stored = [checkpoint for checkpoint, _ in _checkpoints(path)]
    sizes = [
        sum(_packed(value) for value in checkpoint["channel_values"].values())
        for before, checkpoint in pairwise(stored)
        if all(_version(before, name) == _version(checkpoint, name) for name in _AT_BOTH_ENDS)
    ]
    return max(sizes)


def _version(checkpoint: dict[str, Any], channel: str) -> Any:
    return checkpoint["channel_versions"].get(channel)


def _checkpoints(path: Path) -> list[tuple[dict[str, Any], int]]:
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute("SELECT type, checkpoint FROM checkpoints ORDER BY checkpoint_id")
        return [(_SERDE.loads_typed((kind, blob)), len(blob)) for kind, blob in rows]


def _packed(value: Any) -> int:
    return len(_SERDE.dumps_typed(value)[1])
