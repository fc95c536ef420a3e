"""What must be read before a question can be answered, when a large folder is new or has changed.

- Little is unread: it is read, then the question is answered.
- The question has a keyword: only what may hold it is read, and the rest while nobody waits.
- It has a service that files are named after: those files are read, and of the others what may
  hold the service's name.
- Else the whole is needed. It is waited for, within bounds; what is done by then stays done.

The short cuts give the same answer as the whole index would, because a service is then meant by
its exact name or not at all. Where only the names in unread lines could tell, the whole is needed.

What is too much for that is not waited for: the question is answered from a bounded part, files
that begin nearest the window's start first, and the answer says that it is partial.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from tools.logs.folder import LogFile, names_of, without_pod_suffix
from tools.logs.index import LogIndex
from tools.logs.request import LogsQuery, naive_utc, window_of
from tools.logs.services import answers_to
from tools.logs.sighting import Sighted, opening, sight

_PLAIN_NAME = re.compile(r"[a-z0-9_.-]+")


@contextmanager
def made_ready(index: LogIndex, request: LogsQuery) -> Iterator[None]:
    """The index as it must be for this question, or a part of it, which then has `unseen` files."""
    index.refresh()
    if index.unread_bytes() <= index.limits.at_once_bytes and _built(index, index.unread):
        yield
        return
    try:
        if not _short_cut(index, request) and not _whole(index):
            index.let_go()
            _part(index, request)
        yield
    finally:
        index.let_go()
        index.build_behind()


def _built(index: LogIndex, files: list[LogFile]) -> bool:
    return not files or index.build(files, seconds=index.limits.patience_seconds)


def _whole(index: LogIndex) -> bool:
    """Whether all is read, after a wait if that is worth it."""
    return index.unread_bytes() <= index.limits.awaited_bytes and _built(index, index.unread)


def _short_cut(index: LogIndex, request: LogsQuery) -> bool:
    """Whether what a short cut reads is all that the question needs."""
    word = request.keyword
    if word is None:
        word = _named_service(index, request)
        own = _named(index, request) if word else []
        if (
            word is None
            or sum(file.weight for file in own) > index.limits.awaited_bytes
            or not _built(index, own)
        ):
            return False
    sighted = _sighted(index, index.unread, word)
    if sighted.unseen:
        return False
    index.hold(sighted)
    return _exact(index, request)


def _exact(index: LogIndex, request: LogsQuery) -> bool:
    """Whether unread lines cannot change which services are meant."""
    stated = (facts.name for facts in index.services())
    return request.service is None or answers_to(request.service, {*index.names(), *stated})


def _part(index: LogIndex, request: LogsQuery) -> None:
    """Hold a bounded part of what is unread: of the service's own files if there are any."""
    named = set(_named(index, request))
    nearest = _by_nearness(index, index.unread, request)
    nearest.sort(key=lambda file: file not in named)
    index.hold(_sighted(index, nearest, request.keyword))
    if request.keyword is not None and not _exact(index, request):
        index.unseen = len(nearest)


def _sighted(index: LogIndex, files: list[LogFile], word: str | None) -> Sighted:
    limits = index.limits
    with index.building_paused():
        return sight(files, word, limits.read, max_chars=limits.sighted_bytes)


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
        "WHERE file_id IN (SELECT unnest($held)) AND instant IS NOT NULL GROUP BY path",
        {"held": index.held_ids()},
    ).fetchall()
    index.let_go()
    return dict(rows)
