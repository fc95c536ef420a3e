"""What must be read before a question can be answered, when a large folder is new or has changed.

- Little is unread: it is read, then the question is answered.
- The question has a keyword: only what may hold it is read, and the rest while nobody waits.
- It has a service that files are named after: those files are read, and of the others what may
  hold the service's name.
- Else the whole is needed. It is waited for, within bounds; what is done by then stays done.

The short cuts give the same answer as the whole index would, because a service is then meant by
its exact name or not at all. Where only the names in unread lines could tell, the whole is needed.

What is too much for that is not waited for: the question is answered from a bounded part, files
that begin nearest the window's start first, and the answer says that it is partial. So it is where
no index can be written.
"""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta

from tools.evidence import ToolFailure, ToolResult
from tools.logs.answer import BUILDING
from tools.logs.builder import IndexNotWritten
from tools.logs.folder import LogFile, names_of, without_pod_suffix
from tools.logs.index import LogIndex
from tools.logs.request import LogsQuery, naive_utc, window_of
from tools.logs.services import answers_to
from tools.logs.sighting import Sighted, opening, sight

_PLAIN_NAME = re.compile(r"[a-z0-9_.-]+")


def answered(index: LogIndex, request: LogsQuery, answer: Callable[[], ToolResult]) -> ToolResult:
    """The answer, from the index as this question needs it. Where a part held nothing, the index
    is waited for, as long as there is time to look once more. Raises what `answer` raises."""
    started = time.monotonic()
    deadline = started + index.limits.patience_seconds
    try:
        with _made_ready(index, request, deadline):
            return answer()
    except ToolFailure as failure:
        now = time.monotonic()
        seconds = deadline - now - (now - started)
        if failure.code != BUILDING or seconds <= 0:
            raise
    with suppress(IndexNotWritten):
        index.wait(seconds=seconds)
    with _made_ready(index, request, deadline):
        return answer()


@contextmanager
def _made_ready(index: LogIndex, request: LogsQuery, deadline: float) -> Iterator[None]:
    """The index as it must be for this question, or a part of it, which then has `unseen` files.
    What is built is waited for until the deadline, on the monotonic clock."""
    index.refresh()
    if index.unread_bytes() <= index.limits.at_once_bytes and _built(index, index.unread, deadline):
        yield
        return
    nearest: list[LogFile] = []
    try:
        if not _short_cut(index, request, deadline) and not _whole(index, deadline):
            index.let_go()
            nearest = _part(index, request)
        yield
    finally:
        index.let_go()
        index.build_behind(nearest)


def _built(index: LogIndex, files: list[LogFile], deadline: float) -> bool:
    """Whether these are in the index. A full disk costs the index, not the answer."""
    try:
        return not files or index.build(files, seconds=max(0.0, deadline - time.monotonic()))
    except IndexNotWritten:
        return False


def _whole(index: LogIndex, deadline: float) -> bool:
    """Whether all is read, after a wait if that is worth it."""
    worth_it = index.unread_bytes() <= index.limits.awaited_bytes
    return worth_it and _built(index, index.unread, deadline)


def _short_cut(index: LogIndex, request: LogsQuery, deadline: float) -> bool:
    """Whether what a short cut reads is all that the question needs."""
    word = request.keyword
    if word is None:
        word = _named_service(index, request)
        own = _named(index, request) if word else []
        if (
            word is None
            or sum(file.weight for file in own) > index.limits.awaited_bytes
            or not _built(index, own, deadline)
        ):
            return False
    sighted = _sighted(index, index.unread, word, index.limits.sighted_bytes)
    if sighted.unseen:
        return False
    index.hold(sighted)
    return _exact(index, request)


def _exact(index: LogIndex, request: LogsQuery) -> bool:
    """Whether unread lines cannot change which services are meant."""
    stated = (facts.name for facts in index.services())
    return request.service is None or answers_to(request.service, {*index.names(), *stated})


def _part(index: LogIndex, request: LogsQuery) -> list[LogFile]:
    """Hold a bounded part of what is unread, the service's own files first; returns all of them in
    the order in which they matter."""
    named = set(_named(index, request))
    nearest = _by_nearness(index, index.unread, request)
    nearest.sort(key=lambda file: file not in named)
    index.hold(_sighted(index, nearest, request.keyword, index.limits.part_bytes))
    if request.keyword is not None and not _exact(index, request):
        index.unseen = len(nearest)
    return nearest


def _sighted(index: LogIndex, files: list[LogFile], word: str | None, most: int) -> Sighted:
    with index.building_paused():
        return sight(files, word, index.limits.read, max_chars=most)


def _named_service(index: LogIndex, request: LogsQuery) -> str | None:
    """The service as its files and lines spell it, if a file or folder is named after it."""
    service = without_pod_suffix((request.service or "").lower())
    plain = _PLAIN_NAME.fullmatch(service) is not None
    return service if plain and answers_to(service, index.names()) else None


def _named(index: LogIndex, request: LogsQuery) -> list[LogFile]:
    """Unread files named after the service."""
    wanted = request.service or ""
    return [file for file in index.unread if wanted and answers_to(wanted, names_of(file.cited_as))]


def _by_nearness(index: LogIndex, files: list[LogFile], request: LogsQuery) -> list[LogFile]:
    """Those that begin nearest the window's start first, without one the latest before its end;
    then those that begin after it, or without a time."""
    begins = _begins(index, files)
    window = window_of(request)
    end = naive_utc(window.end) if window.end else datetime.max
    wanted = naive_utc(window.start) if window.start else end

    def distance(file: LogFile) -> timedelta:
        begin = begins.get(file.cited_as, datetime.max)
        return timedelta.max if begin > end or begin == datetime.max else abs(begin - wanted)

    return sorted(files, key=distance)


def _begins(index: LogIndex, files: list[LogFile]) -> dict[str, datetime]:
    """The first times, in UTC, that the first lines of unread files state."""
    index.hold(Sighted([opening(file, index.limits.read) for file in files]))
    rows = index.connection.execute(
        "SELECT path, min(instant) FROM fresh JOIN files USING (file_id) "
        "WHERE instant IS NOT NULL GROUP BY path"
    ).fetchall()
    index.let_go()
    return dict(rows)
