"""What an evidence source is: a name, a description, an input schema and one bounded search.

A tool states objective facts. It never judges whether they help the diagnosis (C0).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel

from tools.scope import canonical_text_fields

Request = TypeVar("Request", bound=BaseModel)


class EvidenceStatus(StrEnum):
    """Whether candidates exist; never whether they support a conclusion (C4)."""

    EVIDENCE_FOUND = "EVIDENCE_FOUND"
    NO_EVIDENCE = "NO_EVIDENCE"


class RelevanceLevel(StrEnum):
    """How closely a knowledge hit matches the question, by rule (C5.4)."""

    DIRECT = "DIRECT"
    REFERENCE = "REFERENCE"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One citable piece: where it stands and its verbatim text."""

    source: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What one search found; an empty list is a result, not a failure.

    `total` is the number of matches before the limit, where the source knows it.
    """

    evidence: list[Evidence]
    relevance_level: RelevanceLevel | str | None = None
    truncated: bool = False
    total: int | None = None


class ToolFailure(Exception):
    """A search that could not be done. Only `code` and `retryable` leave the boundary (C5.1)."""

    def __init__(self, code: str, *, retryable: bool) -> None:
        super().__init__(code)
        self.code = code
        self.retryable = retryable


class EvidenceTool(ABC, Generic[Request]):
    """An evidence source a diagnosis may query.

    Set `name`, `description` and `Input` (a Pydantic model of the business arguments) and write
    `search`. `Input` values reach `search` already in canonical form.
    """

    name: str
    description: str
    Input: ClassVar[type[BaseModel]]
    factual: bool = True
    """Whether a root cause may rest on this source alone; general knowledge may not (C6.2)."""

    @abstractmethod
    async def search(self, request: Request) -> ToolResult:
        """Run one bounded query. Raises `ToolFailure` for anything that is not a result."""

    def scope(self, request: Request) -> dict[str, Any]:
        """The canonical form of the request (C5.3): JSON-able, defaults filled in.

        Every key should be a field of `Input`: the search then runs exactly this scope.
        """
        return canonical_text_fields(request)
