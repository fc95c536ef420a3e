"""Work at its end, bounded in time: what must still finish, and what must not hold anybody up."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

Answer = TypeVar("Answer")


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


async def let_go(work: "asyncio.Future[Any]", *, seconds: float) -> None:
    """Cancels what still runs and lets it clean up; who does not stop in time is left alone."""
    if not work.done():
        work.cancel()
        work.add_done_callback(lambda late: late.cancelled() or late.exception())
        await asyncio.wait({work}, timeout=seconds)
