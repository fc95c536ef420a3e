"""One question answered from an index that is level with its files."""

from dataclasses import replace

from tools.evidence import Evidence, ToolFailure, ToolResult
from tools.logs.choice import Event, choose, excerpt
from tools.logs.context import Neighbour
from tools.logs.fitting import Fitted, cut, fit, json_bytes
from tools.logs.indexed import Indexed, IndexedFile
from tools.logs.levels import Level
from tools.logs.reader import FileState
from tools.logs.request import LogsQuery, Window, around_of, window_of
from tools.logs.search import (
    Filters,
    Totals,
    forget_matches,
    keyword_pattern,
    match,
)
from tools.logs.services import Meant, meant_by
from tools.logs.summary import SOURCE, summary

BUILDING = "LOG_INDEX_BUILDING"
_SUMMARY_BYTES = 2_000


def answer(index: Indexed, request: LogsQuery, *, zone_name: str, max_bytes: int) -> ToolResult:
    """Matching events, and the overview first when not all are shown or something is to be said.

    `truncated` is set when matches are left out, when a shown text is cut, and when a file in
    question was not read whole or cannot be looked for. Raises `LOG_INDEX_BUILDING` where nothing
    matches in a part of the files: that is no empty result.
    """
    filters = filters_of(index, request)
    if filters.meant is not None and not filters.meant:
        if index.unseen:
            raise ToolFailure(BUILDING, retryable=True)
        return ToolResult([], truncated=bool(index.unsearched), total=0)
    try:
        return _answer(index, request, filters, zone_name=zone_name, max_bytes=max_bytes)
    finally:
        forget_matches(index.connection)


def _answer(
    index: Indexed, request: LogsQuery, filters: Filters, *, zone_name: str, max_bytes: int
) -> ToolResult:
    partial = _partly_read(index, filters)
    totals = match(index.connection, filters, index.zone)
    if index.unseen and not totals.events:
        raise ToolFailure(BUILDING, retryable=True)
    events = choose(index.connection, request.limit)
    beside = index.neighbours(events, around_of(request))
    remarks = _remarks(index, totals, filters.window, partial)
    unread = index.counted is not None or index.unseen > 0 or bool(index.unsearched)
    if index.counted is not None and " " not in (filters.keyword or ""):
        looked_at, counted = totals.events, sum(index.counted.values())
        totals = replace(totals, events=max(looked_at, counted), by_level=index.counted)
        remarks.append(f"kinds are of {looked_at} of them, errors first: narrow the window for all")
    elif index.counted is not None:
        remarks.append("not all rows with these words were looked at: narrow the window")
    fitted = _fit(index, events, beside, filters.keyword, max_bytes)
    crowded = fitted.matches < totals.events
    overview: list[Evidence] = []
    if totals.events and (crowded or remarks):
        fitted = _fit(index, events, beside, filters.keyword, max_bytes - _SUMMARY_BYTES)
        text = summary(
            index.connection,
            shown=fitted.matches,
            beside=len(fitted.evidence) - fitted.matches,
            files=_searched(index, filters),
            totals=totals,
            at_least=index.unseen > 0,
            window=filters.window,
            zone_name=zone_name,
            remarks=remarks,
        )
        overview = [Evidence(SOURCE, _within(text, _SUMMARY_BYTES))]
    return ToolResult(
        [*overview, *fitted.evidence],
        truncated=unread or fitted.matches < totals.events or not fitted.whole or bool(partial),
        total=totals.events,
    )


def _within(text: str, max_bytes: int) -> str:
    """A text whose JSON form fits, cut between characters."""
    while (over := json_bytes(text) - max_bytes) > 0:
        text = cut(text, len(text.encode()) - over - len("…".encode())) + "…"
    return text


def filters_of(index: Indexed, request: LogsQuery) -> Filters:
    """What a question means to an index."""
    meant: Meant | None = None
    file_ids: set[int] = set()
    if request.service is not None:
        stated = {facts.name: facts.file_ids for facts in index.services()}
        names = {entry.file_id: entry.names for entry in index.files}
        meant = meant_by(request.service, stated, names)
        file_ids = {*meant.file_ids, *(n for name in meant.services for n in stated[name])}
    return Filters(
        meant=meant,
        file_ids=sorted(file_ids),
        window=window_of(request),
        level=None if request.level is None else Level[request.level],
        keyword=request.keyword,
    )


def _partly_read(index: Indexed, filters: Filters) -> list[IndexedFile]:
    """Files the question is about that are not wholly in the index.

    A binary file counts only where it is asked for by name: it is probably no log.
    """
    partial = [entry for entry in index.files if entry.state is not FileState.WHOLE]
    named = set(filters.meant.file_ids) if filters.meant else set()
    logs = [e for e in partial if e.state is not FileState.BINARY or e.file_id in named]
    if not logs or filters.meant is None:
        return logs
    return [entry for entry in logs if entry.file_id in filters.file_ids]


def _searched(index: Indexed, filters: Filters) -> int:
    """How many files a question was put to; 0 for a table."""
    about = set(filters.file_ids) if filters.meant is not None else None
    paths = {e.file.cited_as for e in index.files if about is None or e.file_id in about}
    return len(paths)


def _remarks(
    index: Indexed, totals: Totals, window: Window, partial: list[IndexedFile]
) -> list[str]:
    remarks = [f"{entry.file.cited_as}: {entry.state}" for entry in partial[:5]]
    if index.unsearched:
        remarks.append(f"not searched: {', '.join(index.unsearched)}")
    if index.unseen:
        remarks.insert(
            0,
            f"PARTIAL: {index.unseen} files that may hold more are not, or not wholly, read yet; "
            "all counts are so far, and what is missing here may be there",
        )
    asked = window.start is not None or window.end is not None
    if totals.yearless and asked:
        remarks.append(f"{totals.yearless} of the matches carry no year: the window gives it")
    if totals.timeless:
        remarks.append(f"{totals.timeless} more match but carry no time: the window excludes them")
    if totals.broken:
        remarks.append(f"{totals.broken} of the matches look like JSON but are not: read as text")
    return remarks


def _fit(
    index: Indexed,
    events: list[Event],
    beside: list[Neighbour],
    keyword: str | None,
    max_bytes: int,
) -> Fitted:
    def surroundings(event: Event) -> str | None:
        if keyword is None:
            return None
        return excerpt(index.connection, event, keyword_pattern(keyword))

    return fit(events, beside, max_bytes=max_bytes, surroundings=surroundings)
