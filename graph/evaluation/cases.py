"""Cases: a question, the outcome it should have, and what an answer must and must not say."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError


class CasesError(ValueError):
    """A case file or data folder that cannot be used; the message says which, and where."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Expected(_Part):
    """`root_cause_keywords` and `must_not_contain` are matched against the answer, `must_cite`
    against its citations, `must_not_claim` are wrong causes in English."""

    outcome: Literal["SUCCESS", "FALLBACK"]
    fallback_type: str | None = None
    root_cause_keywords: Sequence[str] = ()
    must_cite: Sequence[str] = ()
    must_not_claim: Sequence[str] = ()
    must_not_contain: Sequence[str] = ()

    @property
    def kind(self) -> str:
        """SUCCESS, or the type of the fallback."""
        return self.fallback_type or self.outcome


class EvidenceHint(_Part):
    """Which lines of a file are the evidence."""

    file: str
    regex: str


class Case(_Part):
    """One line of a case file; fields that scoring does not need are ignored."""

    id: str
    query: str
    expected: Expected
    evidence: Sequence[EvidenceHint] = ()


def read_cases(file: Path) -> list[Case]:
    """Every case of a JSON Lines file, in order. Raises `CasesError`."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise CasesError(f"{file}: not readable as UTF-8 text") from None
    adapter, cases = TypeAdapter(Case), list[Case]()
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                cases.append(adapter.validate_json(line))
            except ValidationError as error:
                place = ".".join(str(part) for part in error.errors()[0]["loc"]) or "the line"
                raise CasesError(f"{file}, line {number}: {place} is not as expected") from None
    if not cases:
        raise CasesError(f"{file}: holds no case")
    return cases
