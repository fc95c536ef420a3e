"""What somebody who is being cancelled still has to finish: shielded, and bounded in time."""

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
