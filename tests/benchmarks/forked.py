"""Runs one measurement in a child process of its own, so that memory is that of one contender."""

import asyncio
import json
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

Measured = dict[str, float]


def in_child(measure: Callable[[], Coroutine[Any, Any, Measured]]) -> Measured:
    """What `measure` returns in a forked process; everything is imported already."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "w") as answer:
            json.dump(asyncio.run(measure()), answer)
            answer.flush()
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) or not text:
        raise SystemExit("a measurement failed; what it says stands above")
    measured: Measured = json.loads(text)
    return measured


def memory_bytes(field: str = "VmRSS") -> int:
    """Of this process: `VmRSS` is what it holds now, `VmHWM` the most it ever held."""
    for line in Path("/proc/self/status").read_text().splitlines():
        name, _, rest = line.partition(":")
        if name == field:
            return int(rest.split()[0]) * 1024
    raise LookupError(field)
