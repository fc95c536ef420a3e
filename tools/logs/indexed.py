"""What an answer is made from, wherever the lines come from."""

from dataclasses import dataclass
from datetime import tzinfo
from typing import TYPE_CHECKING, Protocol

from tools.logs.choice import Event
from tools.logs.context import Neighbour
from tools.logs.coverage import ServiceFacts
from tools.logs.folder import LogFile
from tools.logs.levels import Level
from tools.logs.reader import FileState

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file, or a run of lines of one, as the index holds it, and the names it answers to."""

    file_id: int
    file: LogFile
    state: FileState
    names: list[str]


class Indexed(Protocol):
    """Lines in the view `lines` of a database of ours, their files in the table `files`.

    `counted`: all matches by level, where not all of them are in there; None where they are.
    `unseen`: how many files that may be meant are not, or not wholly, in there.
    `unsearched`: folders and files that no look could reach, counted in words.
    """

    zone: tzinfo
    counted: dict[Level | None, int] | None
    unseen: int
    unsearched: list[str]

    @property
    def connection(self) -> "DuckDBPyConnection": ...

    @property
    def files(self) -> list[IndexedFile]:
        """Every file read, with what became of it."""
        ...

    def services(self) -> list[ServiceFacts]:
        """All services with their events and times, most events first."""
        ...

    def neighbours(self, events: list[Event], around: int) -> list[Neighbour]:
        """The events beside each of the best ranked."""
        ...
