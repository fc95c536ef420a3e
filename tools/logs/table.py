"""A log table: which columns it has, its rows, and what rows a question is about."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tools.logs.levels import Level
from tools.logs.request import Window


@dataclass(frozen=True, slots=True)
class LogColumns:
    """Names of the table (`schema.table` too) and of its columns. `id`: an integer that names a row
    and grows; the integer primary key where there is one, `time` alone orders rows without."""

    table: str
    time: str
    level: str
    service: str
    message: str
    id: str | None = None


@dataclass(frozen=True, slots=True)
class LogRow:
    """One row; `number` is its id, `instant` in UTC, None where the time cannot be read."""

    number: int
    stored_time: Any
    instant: datetime | None
    level: Level | None
    level_word: str
    service: str | None
    message: str

    @property
    def text(self) -> str:
        """The row as one line: time, level, service, message."""
        at = "" if self.stored_time is None else str(self.stored_time)
        if self.instant is not None:
            at = self.instant.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
        parts = (at, self.level_word, self.service and f"[{self.service}]", self.message)
        return " ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class RowFilters:
    """What rows a question is about; None filters nothing. Services by their exact spellings."""

    services: list[str] | None
    window: Window
    level: Level | None
    keyword: str | None
