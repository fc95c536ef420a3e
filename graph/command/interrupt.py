"""Ctrl-C: the first ends the run in order; the second, or a busy thread, is not waited for."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Coroutine
from typing import Any, NoReturn

from graph.free_loop import new_free_loop

CANCELLED_EXIT_CODE = 130


def run_interruptible(work: Coroutine[Any, Any, int]) -> int:
    """Runs `work` in a loop of its own, which the first Ctrl-C cancels; returns its exit code.
    The second one leaves.

    A cancelled process leaves without joining its threads: a query that cannot be interrupted
    would hold the prompt, and everything that counts is on disk by then.
    """
    runner = asyncio.Runner(loop_factory=new_free_loop)
    try:
        code = runner.run(work)
        if code == CANCELLED_EXIT_CODE:
            leave(CANCELLED_EXIT_CODE)
    except KeyboardInterrupt:
        leave(CANCELLED_EXIT_CODE)
    finally:
        runner.close()
    return code


def take_interrupt() -> None:
    """The cancelled task goes on, to end its run in order. Another Ctrl-C leaves from wherever the
    process is: as an exception it would wait for what the first one closes."""
    task = asyncio.current_task()
    if task is not None:
        task.uncancel()
    signal.signal(signal.SIGINT, lambda *_: leave(CANCELLED_EXIT_CODE))


def leave(code: int) -> NoReturn:
    """End the process now, what is printed flushed and the cursor shown."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, RuntimeError):
            if stream.isatty():
                stream.write("\x1b[?25h")
            stream.flush()
    os._exit(code)
