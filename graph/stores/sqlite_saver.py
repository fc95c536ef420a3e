"""LangGraph's SQLite saver, with channel versions as small as the base class makes them.

A checkpoint names a version for every channel, and again for every channel a node has seen. The
SQLite saver spells each in 49 characters, a counter and a random number: 0.6 MB of the checkpoints
of 200 rounds. The number tells apart the blobs of two branches of a thread where a store keeps
them beside the checkpoints, keyed by version; in SQLite they lie inside the checkpoint.
"""

from typing import Any

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver


class SqliteSessionSaver(AsyncSqliteSaver):
    """Whole numbers from 1 on for new threads; a thread that was begun otherwise goes on so."""

    def get_next_version(self, current: Any, channel: None) -> Any:
        """The version after `current`, None for the first."""
        if isinstance(current, str):
            return super().get_next_version(current, channel)
        return (current or 0) + 1
