"""An event loop that waits for no thread at its end.

Blocking work that hangs (a query, a client without a timeout) cannot be stopped. The loop's usual
threads would hold the process until it ends: `asyncio.run` joins them, and the interpreter does.
These are daemons, given `CLEAN_UP_SECONDS` to end and then left behind; nobody takes their result.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

CLEAN_UP_SECONDS = 2.0
"""What blocking work may still take when the loop ends."""

_THREAD_NAME = "left-to-itself"

_Answer = TypeVar("_Answer")


def run_free(work: Coroutine[Any, Any, _Answer]) -> _Answer:
    """`asyncio.run` in such a loop."""
    with asyncio.Runner(loop_factory=new_free_loop) as runner:
        return runner.run(work)


def new_free_loop() -> asyncio.AbstractEventLoop:
    """The loop; whoever makes it closes it."""
    loop = asyncio.new_event_loop()
    loop.set_default_executor(_DaemonThreads())
    return loop


def threads_are_left() -> bool:
    """Whether work of any such loop still runs."""
    return any(thread.name == _THREAD_NAME for thread in threading.enumerate())


class _DaemonThreads(ThreadPoolExecutor):
    """A thread for each piece of work. Loops take this base class alone, whose own threads the
    interpreter waits for."""

    def __init__(self) -> None:
        super().__init__()
        self._running: list[threading.Thread] = []

    def submit(self, fn: Callable[..., _Answer], /, *args: Any, **kwargs: Any) -> "Future[_Answer]":
        """As in the base; it starts at once."""
        future: Future[_Answer] = Future()

        def work() -> None:
            if future.set_running_or_notify_cancel():
                _settle(future, lambda: fn(*args, **kwargs))

        thread = threading.Thread(target=work, name=_THREAD_NAME, daemon=True)
        thread.start()
        self._running = [*(other for other in self._running if other.is_alive()), thread]
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """As in the base, but it waits `CLEAN_UP_SECONDS` at most."""
        end = time.monotonic() + (CLEAN_UP_SECONDS if wait else 0)
        for thread in self._running:
            thread.join(max(0.0, end - time.monotonic()))


def _settle(future: "Future[_Answer]", work: Callable[[], _Answer]) -> None:
    try:
        answer = work()
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is raised where the work is awaited
        future.set_exception(error)
    else:
        future.set_result(answer)
