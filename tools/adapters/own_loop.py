"""A call in a thread and an event loop of its own.

What a foreign client starts (a process, connections) is then taken down in order, whatever becomes
of the loop around it: a caller that is cancelled does not wait, the thread does, and the
interpreter does not exit before it. No context comes along, so no callback hears the call.

A job is made in the thread before its loop runs: it is the place for imports and whatever else
blocks, which the LangGraph server refuses inside any loop.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Generic, TypeVar

Answer = TypeVar("Answer")
Job = Callable[[], Coroutine[Any, Any, Answer]]


async def in_own_loop(job: Job[Answer]) -> Answer:
    """What `job` returns or raises. Cancelling this cancels `job`, which may still clean up."""
    call = _Call(job)
    # a pool of one: the shared one may be full of calls that wait, and the stores need it
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="foreign-call")
    try:
        return await asyncio.get_running_loop().run_in_executor(thread, call.run)
    except asyncio.CancelledError:
        call.cancel()
        raise
    finally:
        thread.shutdown(wait=False)


class _Call(Generic[Answer]):
    def __init__(self, job: Job[Answer]) -> None:
        self._job = job
        self._lock = threading.Lock()
        self._cancelled = False
        self._place: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None

    def run(self) -> Answer:
        return asyncio.run(self._cancellable(self._job()))

    async def _cancellable(self, made: Coroutine[Any, Any, Answer]) -> Answer:
        task = asyncio.current_task()
        assert task is not None
        with self._lock:
            if self._cancelled:
                made.close()
                raise asyncio.CancelledError
            self._place = asyncio.get_running_loop(), task
        return await made

    def cancel(self) -> None:
        with self._lock:
            self._cancelled = True
            if self._place is not None:
                loop, task = self._place
                with suppress(RuntimeError):  # its loop is closed: it is over
                    loop.call_soon_threadsafe(task.cancel)
