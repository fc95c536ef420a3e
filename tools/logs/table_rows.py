"""The rows of one question, as the index that an answer is made from."""

from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from tools.logs.choice import Event
from tools.logs.context import MATCHES, Neighbour
from tools.logs.coverage import ServiceFacts
from tools.logs.database import Database, folded_form
from tools.logs.events import template_sql
from tools.logs.levels import Level
from tools.logs.request import naive_utc
from tools.logs.table import LogRow, RowFilters
from tools.logs.table_reader import TableReader

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from tools.logs.indexed import IndexedFile

_MEMORY_MIB = 256
_FILE_ID = 1


class TableRows:
    """Not safe for concurrent use. `counted` are all rows by level, where not all were taken."""

    def __init__(self, reader: TableReader, table: str, zone: tzinfo) -> None:
        self.zone = zone
        self.files: list[IndexedFile] = []
        self.counted: dict[Level | None, int] | None = None
        self.unseen = 0
        self.unsearched: list[str] = []
        self._reader = reader
        self._table = table
        self._database: Database | None = None
        self._rows: dict[int, LogRow] = {}
        self._services: list[ServiceFacts] | None = None

    @property
    def connection(self) -> "DuckDBPyConnection":
        if self._database is None:
            self._database = Database(memory_mib=_MEMORY_MIB, spill_mib=0)
        return self._database.connection

    def services(self) -> list[ServiceFacts]:
        """All services of the table, most rows first."""
        if self._services is None:
            self._services = [
                ServiceFacts(name, count, _naive(first), _naive(last), None, None, [_FILE_ID])
                for name, count, first, last in self._reader.services()
            ]
        return self._services

    def take(self, filters: RowFilters, most: int) -> None:
        """Read the rows that may match; of more than `most`, count all and take those."""
        rows = self._reader.rows(filters, most + 1)
        if len(rows) > most:
            self.counted = self._reader.counts(filters)
            rows = rows[:most]
        self._rows = {row.number: row for row in rows}
        self.connection.execute("INSERT INTO files VALUES (?, ?, NULL)", [_FILE_ID, self._table])
        self.connection.execute(
            "INSERT INTO fresh SELECT $file, line_no, line_no, TRUE, FALSE, FALSE, instant, NULL, "
            f"level, service, {template_sql('message')}, text, folded FROM ("
            "SELECT unnest($numbers) AS line_no, unnest($instants) AS instant, "
            "unnest($levels) AS level, unnest($services) AS service, "
            "unnest($messages) AS message, unnest($texts) AS text, unnest($folds) AS folded)",
            {
                "file": _FILE_ID,
                "numbers": [row.number for row in rows],
                "instants": [_naive(row.instant) for row in rows],
                "levels": [row.level and row.level.value for row in rows],
                "services": [row.service for row in rows],
                "messages": [row.message for row in rows],
                "texts": [row.text for row in rows],
                "folds": [folded_form(row.text) for row in rows],
            },
        )

    def neighbours(self, events: list[Event], around: int) -> list[Neighbour]:
        """Up to `around` rows of the same service before and after each of the best ranked."""
        best = sorted(events, key=lambda event: event.rank)[:MATCHES] if around else []
        found: dict[int, Neighbour] = {}
        for match in best:
            beside = self._reader.beside(self._rows[match.first_line], around)
            for row in beside:
                if row.number not in self._rows:
                    event = Event(
                        rank=match.rank,
                        position=match.position,
                        file_id=_FILE_ID,
                        path=self._table,
                        first_line=row.number,
                        last_line=row.number,
                        text=row.text,
                        total_bytes=len(row.text.encode("utf-8", "surrogatepass")),
                    )
                    found.setdefault(row.number, Neighbour(event, match))
        return list(found.values())

    def close(self) -> None:
        if self._database is not None:
            self._database.close()


def _naive(moment: datetime | None) -> datetime | None:
    return None if moment is None else naive_utc(moment)
