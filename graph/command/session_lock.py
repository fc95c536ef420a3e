"""One run a session at a time, across processes on one machine (C0)."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from graph.command.usage import UsageError


@contextmanager
def session_lock(folder: Path, session_id: str) -> Iterator[None]:
    """Held while a run goes on; the system frees it when the process dies.

    Without it a second process would take a running run for one that was cut off and close it
    (C1.6). Raises `UsageError` when the session is held already.
    """
    import fcntl

    name = hashlib.blake2b(session_id.encode(), digest_size=16).hexdigest()
    locks = folder / "locks"
    locks.mkdir(mode=0o700, exist_ok=True)
    with (locks / f"{name}.lock").open("w") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(
                f"--session: {session_id} has a run in another process; wait or use another session"
            ) from None
        yield
