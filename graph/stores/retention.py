"""How old sessions and records are removed.

A session goes as a whole: its checkpoints hold differences, so none of them stands alone. Without
this, sessions and records in files stay for ever; records in Redis have a time to live.
"""

from datetime import datetime

from graph.stores.faults import SessionBusy
from graph.stores.sessions import SessionStore
from tools.invocations import KeptStore

KEPT_UNTIL_PRUNED = "kept until pruned"
"""What an operator is told of sessions, and of records in a file: nothing expires there."""


async def prune_sessions(store: SessionStore, before: datetime) -> int:
    """Removes the sessions whose last checkpoint is older, unfinished runs too; how many.

    A session that has a run now is left alone. `before` is aware.
    """
    removed = 0
    for session_id in await store.session_ids():
        try:
            async with store.hold(session_id):
                if await _last_change(store, session_id) < before:
                    await store.saver.adelete_thread(session_id)
                    removed += 1
        except SessionBusy:
            continue
    if removed:
        await store.give_back_space()
    return removed


async def prune_records(store: KeptStore, before: datetime) -> int:
    """Removes the records that were last changed earlier; how many. `before` is aware."""
    return await store.prune(before=before.timestamp())


async def _last_change(store: SessionStore, session_id: str) -> datetime:
    saved = await store.saver.aget_tuple({"configurable": {"thread_id": session_id}})
    # removed meanwhile: nothing is left to be older than anything
    return datetime.fromisoformat(saved.checkpoint["ts"]) if saved else datetime.max.astimezone()
