"""Kinds of message among the matches: masked messages, those that differ in a word or two as one.

Two steps. In SQL, numbers, ids and addresses are masked, which makes few of many millions. Those
few are mined by Drain (`drain3-improved`: the maintained fork of drain3), each level apart, so that
user and host names fall together too. Two messages are one kind when seven tenths of their words
are the same; Drain's own default of four tenths put `pool exhausted` and `pool ready` together.
Which matches are shown is chosen by the finer kinds, before this.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from tools.logs.levels import Level

if TYPE_CHECKING:
    from drain3.drain import LogCluster
    from duckdb import DuckDBPyConnection

_SIMILAR = 0.7
_MOST_MINED = 3_000


@dataclass(frozen=True, slots=True)
class Template:
    """A kind of message: its masked text, level, how many matches, the first one's time (UTC)."""

    text: str
    level: Level | None
    events: int
    first: datetime | None


def kinds(connection: "DuckDBPyConnection") -> list[Template]:
    """All kinds in the table `matched`, rarest first; among equals the worse and the earlier.

    Of more than 3,000 masked messages the rarest are mined; the others stay as they are.
    """
    rows = connection.execute(
        "SELECT template, level, count(*) AS events, min(placed) FROM matched WHERE inside "
        "GROUP BY template, level ORDER BY events, level DESC NULLS LAST, min(n)"
    ).fetchall()
    masked = [
        Template(text, None if level is None else Level(level), events, first)
        for text, level, events, first in rows
    ]
    merged = [*_mined(masked[:_MOST_MINED]), *masked[_MOST_MINED:]]
    return sorted(merged, key=lambda kind: (kind.events, -(kind.level or 0)))


def _mined(masked: list[Template]) -> list[Template]:
    """Similar ones as one, where the rarest of them stood."""
    from drain3.drain import Drain

    miners: dict[Level | None, Drain] = {}
    members: dict[tuple[Level | None, int], tuple[LogCluster, list[Template]]] = {}
    for kind in masked:
        miner = miners.setdefault(kind.level, Drain(sim_th=_SIMILAR))
        cluster, _ = miner.add_log_message(kind.text)
        members.setdefault((kind.level, cluster.cluster_id), (cluster, []))[1].append(kind)
    return [_joined(cluster, alike) for cluster, alike in members.values()]


def _joined(cluster: "LogCluster", alike: list[Template]) -> Template:
    if len(alike) == 1:
        return alike[0]
    return Template(
        text=cluster.get_template(),
        level=alike[0].level,
        events=sum(kind.events for kind in alike),
        first=min((kind.first for kind in alike if kind.first), default=None),
    )
