"""What may be asked of the logs: the input schema, and the window it means."""

import re
import string
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
)

from tools.evidence import ToolFailure
from tools.logs.levels import LEVEL_WORDS
from tools.logs.zones import find_zone, to_utc
from tools.scope import canonical_keyword

_YEARS = range(1900, 2200)
_AROUND_A_LEVEL = 2
_DATE_ONLY = re.compile(r"\d{4}-\d{2}-\d{2}")
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def _blank_is_absent(value: Any) -> Any:
    return None if isinstance(value, str) and not value.strip() else value


def _end_of_day(value: Any) -> Any:
    if isinstance(value, str) and _DATE_ONLY.fullmatch(value.strip()):
        return f"{value.strip()}T23:59:59.999999"
    return _blank_is_absent(value)


def _level_name(value: Any) -> Any:
    if isinstance(value, str) and value.strip().upper() in LEVEL_WORDS:
        return LEVEL_WORDS[value.strip().upper()].name
    return _blank_is_absent(value)


def _known_year(moment: datetime | None) -> datetime | None:
    if moment is not None and moment.year not in _YEARS:
        raise ValueError(f"year must be {_YEARS.start} to {_YEARS.stop - 1}")
    return moment


Name = Annotated[Annotated[str, Field(max_length=200)] | None, BeforeValidator(_blank_is_absent)]
# shown as plain text: the format date-time would refuse a date alone
_Text = WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "null"}]})
Start = Annotated[
    datetime | None, BeforeValidator(_blank_is_absent), AfterValidator(_known_year), _Text
]
End = Annotated[datetime | None, BeforeValidator(_end_of_day), AfterValidator(_known_year), _Text]
LevelName = Literal["DEBUG", "INFO", "WARN", "ERROR", "FATAL"]


class LogsQuery(BaseModel):
    """Needs a service, keyword, start or end."""

    model_config = ConfigDict(extra="forbid")

    service: Name = Field(None, description="Service, program, file or folder.")
    start: Start = Field(
        None, description="Earliest event, ISO 8601; without offset in `timezone`."
    )
    end: End = Field(None, description="Latest event; a date is its whole day.")
    timezone: str = Field(
        "UTC",
        min_length=1,
        max_length=64,
        description="IANA name or +08:00.",
    )
    level: Annotated[LevelName | None, BeforeValidator(_level_name)] = Field(
        None,
        description="Or worse; hides lines without a level. Causes are often below ERROR.",
    )
    keyword: Name = Field(None, description="Literal text of the event, in any case.")
    limit: int = Field(20, ge=1, le=100, description="Most events.")
    around: int | None = Field(
        None,
        ge=0,
        le=10,
        description="Neighbours shown of the best matches.",
    )


@dataclass(frozen=True, slots=True)
class Window:
    """A closed interval of instants in UTC; None is open."""

    start: datetime | None
    end: datetime | None


def canonical_scope(request: LogsQuery) -> dict[str, Any]:
    """The request as one spelling (C5.3): times in UTC, names and keyword folded, blanks absent.

    An unknown zone is left as it is, beside times that are not moved: the search refuses it.
    """
    zone = find_zone(request.timezone)
    return {
        "service": _folded(request.service),
        "start": _spelled(request.start, zone, min),
        "end": _spelled(request.end, zone, max),
        "timezone": "UTC" if zone is not None else request.timezone.strip(),
        "level": request.level,
        "keyword": _folded(request.keyword),
        "limit": request.limit,
        "around": around_of(request),
    }


def around_of(request: LogsQuery) -> int:
    """How many neighbours a match is shown with: a level filter hides what led up to it."""
    if request.around is not None:
        return request.around
    return _AROUND_A_LEVEL if request.level else 0


def window_of(request: LogsQuery) -> Window:
    """The asked window. Raises `UNKNOWN_TIME_ZONE`, `INVALID_TIME_WINDOW`, `QUERY_TOO_BROAD`."""
    zone = find_zone(request.timezone)
    if zone is None:
        raise ToolFailure("UNKNOWN_TIME_ZONE", retryable=False)
    start = request.start and _bound(request.start, zone, min)
    end = request.end and _bound(request.end, zone, max)
    if start and end and start > end:
        raise ToolFailure("INVALID_TIME_WINDOW", retryable=False)
    if not (request.service or request.keyword or start or end):
        raise ToolFailure("QUERY_TOO_BROAD", retryable=False)
    return Window(start, end)


def naive_utc(moment: datetime) -> datetime:
    """An instant as the index stores it: UTC without a zone."""
    return moment.astimezone(UTC).replace(tzinfo=None)


def _bound(moment: datetime, zone: tzinfo, wider: Callable[..., datetime]) -> datetime:
    """A local time that a clock shows twice, or never, bounds the wider of the two windows."""
    return wider(to_utc(moment.replace(fold=fold), zone) for fold in (0, 1))


def _spelled(
    moment: datetime | None, zone: tzinfo | None, wider: Callable[..., datetime]
) -> str | None:
    if moment is None:
        return None
    return moment.isoformat() if zone is None else _bound(moment, zone, wider).isoformat()


def _folded(text: str | None) -> str | None:
    return canonical_keyword(text).translate(_LOWER) or None if text else None
