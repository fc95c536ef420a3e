"""How long one query may take, and what cuts it loose when that time is over or nobody waits.

The engine's own limit comes first (`mysql`, `postgresql`, `sqlite`). A server that does not answer
at all enforces no limit, so a moment later its connection is cut from this side.
"""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_GRACE_SECONDS = 1.0
"""What a server gets beyond its own limit before its connection is cut."""


class Leash:
    """One query's time. `let_go` may be called from any thread, as often as one likes."""

    def __init__(self, max_seconds: float) -> None:
        self._deadline = time.monotonic() + max_seconds
        self._let_go = threading.Event()
        self._lock = threading.Lock()
        self._cut: Callable[[], None] | None = None

    def expired(self) -> bool:
        return self._let_go.is_set() or self.left_seconds() <= 0

    def left_seconds(self) -> float:
        return self._deadline - time.monotonic()

    def let_go(self) -> None:
        """Nobody waits for the answer any more."""
        self._let_go.set()
        self._cut_now()

    @contextmanager
    def holding(self, cut: Callable[[], None], max_seconds: float = math.inf) -> Iterator[None]:
        """Within the block, but never after it, `cut` is called once the query is let go, its time
        is over, or `max_seconds` have passed."""
        with self._lock:
            self._cut = cut
        seconds = min(max_seconds, max(0.0, self.left_seconds()) + _GRACE_SECONDS)
        alarm = threading.Timer(seconds, self._cut_now)
        alarm.daemon = True
        alarm.start()
        if self._let_go.is_set():
            self._cut_now()
        try:
            yield
        finally:
            alarm.cancel()
            with self._lock:
                self._cut = None

    def _cut_now(self) -> None:
        with self._lock:
            if self._cut is not None:
                self._cut()
