"""The statements on a log table: services, counts, rows, and the rows beside one.

Every statement is one of our own SELECTs, in a read-only transaction under a time limit. What kind
of time column there is, its greatest value tells:

- a date and time with a zone, or without one, read in the default zone;
- ISO 8601 text; without a zone, read in the default zone;
- a number: an epoch in seconds, milli-, micro- or nanoseconds by its size.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tools.evidence import ToolFailure
from tools.logs.levels import LEVEL_WORDS, Level
from tools.logs.reader import visible
from tools.logs.table import LogColumns, LogRow, RowFilters
from tools.logs.table_connection import opened
from tools.logs.zones import to_utc

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, Select

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_TICKS = ((11, 1), (14, 1_000), (17, 1_000_000))
_ZONE_SLACK = timedelta(hours=26)
_MOST_SERVICES = 2_000
_MAX_MESSAGE_CHARS = 64 * 1024


@contextmanager
def reading(
    url: str, columns: LogColumns, zone: tzinfo, *, max_seconds: float
) -> Iterator["TableReader"]:
    """A read-only transaction. Raises `ToolFailure` for whatever the database does."""
    with opened(url, max_seconds=max_seconds) as connection:
        number = columns.id or _integer_key(connection, columns.table)
        yield TableReader(connection, columns, number, zone)


class TableReader:
    """The statements of one transaction."""

    def __init__(
        self, connection: "Connection", columns: LogColumns, number: str | None, zone: tzinfo
    ) -> None:
        import sqlalchemy as sa

        self._connection = connection
        self._zone = zone
        names = [columns.time, columns.level, columns.service, columns.message]
        schema, _, name = columns.table.rpartition(".")
        wanted = [*names, number] if number else names
        self._table = sa.table(name, *map(sa.column, dict.fromkeys(wanted)), schema=schema or None)
        self._time, self._level, self._service, self._message = (self._table.c[n] for n in names)
        self._number = self._table.c[number] if number else None
        self._greatest = connection.scalar(sa.select(sa.func.max(self._time)))

    def services(self) -> list[tuple[str, int, datetime | None, datetime | None]]:
        """Services with their rows and times, most rows first."""
        import sqlalchemy as sa

        rows = self._connection.execute(
            sa.select(
                self._service, sa.func.count(), sa.func.min(self._time), sa.func.max(self._time)
            )
            .where(self._service.is_not(None))
            .group_by(self._service)
            .order_by(sa.func.count().desc(), self._service)
            .limit(_MOST_SERVICES)
        )
        return [
            (str(name), count, self._instant(first), self._instant(last))
            for name, count, first, last in rows
        ]

    def rows(self, filters: RowFilters, most: int) -> list[LogRow]:
        """Rows that may match, at ERROR or worse first, then by time; at most `most`."""
        import sqlalchemy as sa

        worst = sa.case((self._is_level(Level.ERROR), 0), else_=1)
        order = [worst, self._time, *([] if self._number is None else [self._number])]
        asked = self._selected().where(*self._conditions(filters)).order_by(*order).limit(most)
        return self._read(asked)

    def counts(self, filters: RowFilters) -> dict[Level | None, int]:
        """How many rows there are of each level."""
        import sqlalchemy as sa

        where = self._conditions(filters, widened=0)
        asked = sa.select(self._level, sa.func.count()).where(*where)
        counted: dict[Level | None, int] = {}
        for word, count in self._connection.execute(asked.group_by(self._level)):
            level = _level_of(word)
            counted[level] = counted.get(level, 0) + count
        ranked = sorted(counted.items(), key=lambda item: -(item[0] or 0))
        return dict(ranked)

    def beside(self, row: LogRow, around: int) -> list[LogRow]:
        """The rows just before and after one, of its service."""
        if row.stored_time is None or self._number is None:
            return []
        at = _as_stored(row.stored_time)
        same = self._service == row.service if row.service else self._service.is_(None)
        before = (self._time < at) | ((self._time == at) & (self._number < row.number))
        after = (self._time > at) | ((self._time == at) & (self._number > row.number))
        asked = self._selected().where(same).limit(around)
        earlier = asked.where(before).order_by(self._time.desc(), self._number.desc())
        later = asked.where(after).order_by(self._time, self._number)
        return [*reversed(self._read(earlier)), *self._read(later)]

    def _selected(self) -> "Select[Any]":
        import sqlalchemy as sa

        message = sa.func.substr(self._message, 1, _MAX_MESSAGE_CHARS)
        number = sa.literal(None) if self._number is None else self._number
        return sa.select(number, self._time, self._level, self._service, message)

    def _read(self, asked: "Select[Any]") -> list[LogRow]:
        rows = self._connection.execute(asked)
        return [
            LogRow(
                number=position if number is None else int(number),
                stored_time=at,
                instant=self._instant(at),
                level=_level_of(level),
                level_word="" if level is None else str(level),
                service=None if service is None else str(service),
                message="" if message is None else _text(message),
            )
            for position, (number, at, level, service, message) in enumerate(rows, start=1)
        ]

    def _conditions(self, filters: RowFilters, *, widened: int = 1) -> list["ColumnElement[bool]"]:
        import sqlalchemy as sa

        where: list[ColumnElement[bool]] = []
        if filters.services is not None:
            where.append(self._service.in_(filters.services))
        if filters.level is not None:
            where.append(self._is_level(filters.level))
        if filters.keyword is not None:
            words = map(_like, filters.keyword.lower().split())
            pattern = f"%{'%'.join(words)}%"
            where.append(sa.func.lower(self._message).like(pattern, escape="\\"))
        window = filters.window
        if self._greatest is None and (window.start or window.end):
            return [*where, sa.false()]  # no row has a time, nor is it known how one is spelt
        if window.start is not None:
            where.append(self._time >= _as_stored(self._bound(window.start, -widened)))
        if window.end is not None:
            where.append(self._time <= _as_stored(self._bound(window.end, widened)))
        return where

    def _is_level(self, least: Level) -> "ColumnElement[bool]":
        import sqlalchemy as sa

        words = [word for word, level in LEVEL_WORDS.items() if level >= least]
        return sa.func.upper(sa.cast(self._level, sa.String(64))).in_(words)

    def _bound(self, moment: datetime, side: int) -> Any:
        """An instant as the time column spells it; with a `side`, moved out there by what other
        zones or summer time may add."""
        greatest = self._greatest
        if isinstance(greatest, int | float | Decimal):
            units = moment.timestamp() * _ticks(greatest) + side
            return int(units) if isinstance(greatest, int) else units
        if isinstance(greatest, datetime) and greatest.tzinfo is not None:
            return moment
        moment += side * _ZONE_SLACK
        if isinstance(greatest, str):
            return _spelled_as(greatest, moment, self._zone)
        return moment.astimezone(self._zone).replace(tzinfo=None)

    def _instant(self, value: Any) -> datetime | None:
        if isinstance(value, datetime):
            return to_utc(value, self._zone)
        if isinstance(value, int | float | Decimal):
            ticks = _ticks(value)
            return _EPOCH + timedelta(microseconds=int(Decimal(value) * 1_000_000 / ticks))
        try:
            return to_utc(datetime.fromisoformat(value), self._zone)
        except (TypeError, ValueError, OverflowError):
            return None


def _as_stored(time: Any) -> "ColumnElement[Any]":
    """A value to compare with the time column, of whatever type that is: its text is no varchar."""
    import sqlalchemy as sa

    return sa.bindparam(None, time, type_=sa.types.NullType())


def _spelled_as(example: str, moment: datetime, default: tzinfo) -> str:
    """ISO 8601 text as the example has it, so that texts compare as times. Raises `ToolFailure`."""
    try:
        zone = datetime.fromisoformat(example).tzinfo
    except ValueError:
        raise ToolFailure("LOG_TABLE_UNREADABLE", retryable=False) from None
    local = moment.astimezone(zone or default).replace(tzinfo=None)
    return local.isoformat(sep=example[10:11] or " ").removesuffix(".000000")


def _ticks(epoch: int | float | Decimal) -> int:
    """How many of an epoch's units a second has."""
    digits = len(str(abs(int(epoch))))
    return next((ticks for most, ticks in _EPOCH_TICKS if digits <= most), 1_000_000_000)


def _level_of(word: object) -> Level | None:
    return LEVEL_WORDS.get(str(word).strip().upper())


def _text(message: object) -> str:
    raw = message.decode("utf-8", "backslashreplace") if isinstance(message, bytes) else message
    return visible(str(raw).replace("\r\n", "\n"))


def _like(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _integer_key(connection: "Connection", table: str) -> str | None:
    """The one integer column that is the primary key, or None."""
    import sqlalchemy as sa

    schema, _, name = table.rpartition(".")
    inspector = sa.inspect(connection)
    key = inspector.get_pk_constraint(name, schema=schema or None)["constrained_columns"]
    types = {c["name"]: c["type"] for c in inspector.get_columns(name, schema=schema or None)}
    return key[0] if len(key) == 1 and isinstance(types.get(key[0]), sa.Integer) else None
