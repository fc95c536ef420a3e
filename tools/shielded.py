"""Work at its end, bounded in time: what must still finish, and what must not hold anybody up."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

Answer = TypeVar("Answer")
CLEAN_UP_SECONDS = 1.0
"""What work that ran out of time, or whose caller is cancelled, may take to stop."""


async def to_its_end(work: Coroutine[Any, Any, Answer], *, seconds: float) -> asyncio.Task[Answer]:
    """Runs `work` however often the caller is cancelled meanwhile, but no longer than this.

    Gives its task, which is being cancelled where the time was not enough, and raises nothing:
    the caller goes on to raise what ended it, which no fault of `work` may replace.
    """
    task = asyncio.create_task(work)
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while not task.done() and loop.time() < end:
        with suppress(asyncio.CancelledError):
            await asyncio.wait({task}, timeout=end - loop.time())
    task.cancel()
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    return task


async def in_time(
    work: Coroutine[Any, Any, Answer], *, seconds: float
) -> "asyncio.Task[Answer] | None":
    """The task of `work`, done within its time, or None. Raises nothing of its own making, only
    the caller's cancellation.

    It is awaited from outside: work that swallows its cancellation holds nobody up.
    """
    task = asyncio.ensure_future(work)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    finally:
        await _let_go(task)
    return task if done else None


async def _let_go(task: asyncio.Task[Any]) -> None:
    """Cancels what still runs and lets it clean up; who does not stop in time is left alone."""
    if not task.done():
        task.cancel()
        task.add_done_callback(lambda late: late.cancelled() or late.exception())
        await asyncio.wait({task}, timeout=CLEAN_UP_SECONDS)
