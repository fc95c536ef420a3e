"""How the versions of channels are spelt in checkpoints: short, where LangGraph's savers are long.

A checkpoint names a version for every channel, and again for every channel that a node has seen.
LangGraph's own savers spell each in 49 characters, a counter and a random number: two thirds of
what a checkpoint of ours takes. The random part tells apart the blobs of two branches of a thread
where a store keeps them beside the checkpoints, keyed by version; in SQLite they lie inside.

A saver that is not LangGraph's own keeps its spelling, and so does a thread that was begun in it.
"""

import copy
import secrets
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

Saver = BaseCheckpointSaver[Any]

_WHOLE = {("langgraph.checkpoint.sqlite.aio", "AsyncSqliteSaver")}
_BRANCHING = {
    ("langgraph.checkpoint.postgres.aio", "AsyncPostgresSaver"),
    ("langgraph.checkpoint.memory", "InMemorySaver"),
}
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_RANDOM_CHARS = 5


def with_short_versions(saver: Saver) -> Saver:
    """A shallow copy that spells the versions of new threads short, or the saver itself."""
    bases = {(base.__module__, base.__name__) for base in type(saver).__mro__}
    if bases & _WHOLE:
        return _spelling(saver, _next_whole)
    if bases & _BRANCHING:
        return _spelling(saver, _next_of_branch)
    return saver


def _spelling(saver: Saver, following: Any) -> Saver:
    spelt = copy.copy(saver)

    def get_next_version(current: Any, channel: None) -> Any:
        """The version after `current`, None for the first."""
        version = following(current)
        return saver.get_next_version(current, channel) if version is None else version

    spelt.get_next_version = get_next_version  # type: ignore[method-assign]
    if hasattr(saver, "setup"):
        # the tables are made once, not once a copy
        spelt.setup = saver.setup  # type: ignore[attr-defined]
    return spelt


def _next_whole(current: Any) -> int | None:
    """1, 2, 3, …; nothing after a long one."""
    if current is None or isinstance(current, int):
        return (current or 0) + 1
    return None


def _next_of_branch(current: Any) -> str | None:
    """A count in base 36 behind a letter for its length, so that texts sort as numbers do, and a
    random part; nothing after a long one."""
    if current is None:
        count = 1
    elif isinstance(current, str) and current[:1].isalpha():
        count = int(current[1:].partition(".")[0], 36) + 1
    else:
        return None
    digits = ""
    while count:
        count, digit = divmod(count, 36)
        digits = _DIGITS[digit] + digits
    salt = "".join(secrets.choice(_DIGITS) for _ in range(_RANDOM_CHARS))
    return f"{chr(ord('a') + len(digits) - 1)}{digits}.{salt}"
