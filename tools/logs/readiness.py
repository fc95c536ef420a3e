"""What must be read before a question can be answered, when a large folder is new or has changed.

- Little is unread: it is read, then the question is answered.
- The question has a keyword: only what may hold it is read, and the rest while nobody waits.
- It has a service that files are named after: those files are read, and of the others what may
  hold the service's name.
- Else the whole is needed. It is waited for, within bounds; what is done by then stays done.

The short cuts give the same answer as the whole index would, because a service is then meant by
its exact name or not at all. Where only the names in unread lines could tell, the whole is needed.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from tools.evidence import ToolFailure
from tools.logs.folder import names_of, without_pod_suffix
from tools.logs.index import LogIndex
from tools.logs.request import LogsQuery
from tools.logs.services import answers_to
from tools.logs.sighting import TooManySightings, sight

_PLAIN_NAME = re.compile(r"[a-z0-9_.-]+")


@contextmanager
def made_ready(index: LogIndex, request: LogsQuery) -> Iterator[None]:
    """The index as it must be for this question. Raises `LOG_INDEX_BUILDING`."""
    index.refresh()
    if index.unread_bytes() > index.limits.at_once_bytes:
        try:
            if _short_cut(index, request):
                yield
                return
        finally:
            index.let_go()
            index.build_behind()
    _build(index)
    yield


def _build(index: LogIndex, *names: str) -> None:
    """Read the unread files of these names, or all."""
    wanted = [
        file
        for file in index.unread
        if not names or any(answers_to(name, names_of(file.cited_as)) for name in names)
    ]
    if wanted and not index.build(wanted, seconds=index.limits.patience_seconds):
        raise ToolFailure("LOG_INDEX_BUILDING", retryable=True)


def _short_cut(index: LogIndex, request: LogsQuery) -> bool:
    """Whether what a short cut reads is all that the question needs."""
    word = request.keyword
    if word is None:
        service = without_pod_suffix((request.service or "").lower())
        if not _PLAIN_NAME.fullmatch(service) or not answers_to(service, index.names()):
            return False
        _build(index, service, request.service or "")
        word = service
    limits = index.limits
    try:
        with index.building_paused():
            index.hold(sight(index.unread, word, limits.read, max_chars=limits.sighted_bytes))
    except TooManySightings:
        return False
    stated = (facts.name for facts in index.services())
    return request.service is None or answers_to(request.service, {*index.names(), *stated})
