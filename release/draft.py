"""What the agent model proposes when it ends: a conclusion or null, cited claims, what is missing.

Text that decides something (conclusion, claims, quotes) is never cut: a draft that exceeds a limit
is no draft. Lists that are only shown are cut to their limits.
"""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from release.plain_text import one_line, without_lone_surrogates
from release.reply import read_object

MAX_CONCLUSION_CHARACTERS = 8_000
MAX_STATEMENT_CHARACTERS = 4_000
MAX_QUOTE_CHARACTERS = 8_192
MAX_ID_CHARACTERS = 128
MAX_CLAIMS = 20
MAX_CITATIONS_PER_CLAIM = 20
MAX_SHOWN_ITEMS = 10
MAX_SHOWN_ITEM_CHARACTERS = 300


def _valid_unicode(value: Any) -> Any:
    return without_lone_surrogates(value) if isinstance(value, str) else value


def _null_if_blank(value: Any) -> Any:
    return None if isinstance(value, str) and not value.strip() else value


def _empty_if_null(value: Any) -> Any:
    return [] if value is None else value


def _shown(items: list[str]) -> list[str]:
    lines = (one_line(item, MAX_SHOWN_ITEM_CHARACTERS) for item in items)
    return [line for line in lines if line][:MAX_SHOWN_ITEMS]


Text = Annotated[str, BeforeValidator(_valid_unicode)]
Id = Annotated[Text, Field(max_length=MAX_ID_CHARACTERS)]


class _Part(BaseModel):
    """Keys that nobody asked for are dropped; values are never converted from another type."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class Citation(_Part):
    """Points at a piece of evidence. What is absent stays empty for the guard to refuse (C6.2)."""

    tool_call_id: Id = ""
    evidence_id: Id = ""
    quote: Annotated[Text, Field(max_length=MAX_QUOTE_CHARACTERS)] = ""


class Claim(_Part):
    """One statement and the citations it rests on."""

    statement: Annotated[Text, Field(max_length=MAX_STATEMENT_CHARACTERS)] = ""
    citations: Annotated[
        list[Citation], Field(max_length=MAX_CITATIONS_PER_CLAIM), BeforeValidator(_empty_if_null)
    ] = []


class Limitations(_Part):
    """What the model says it still needs, and remarks that are never released (C6.3)."""

    missing_info: Annotated[list[Text], BeforeValidator(_empty_if_null)] = []
    notes: Annotated[list[Text], BeforeValidator(_empty_if_null)] = []


class DiagnosisDraft(_Part):
    """The agent's final answer. `conclusion` must be there, null or text; blank counts as null."""

    conclusion: Annotated[
        Annotated[Text, Field(max_length=MAX_CONCLUSION_CHARACTERS)] | None,
        BeforeValidator(_null_if_blank),
    ]
    analysis: Annotated[
        list[Claim], Field(max_length=MAX_CLAIMS), BeforeValidator(_empty_if_null)
    ] = []
    limitations: Annotated[
        Limitations, BeforeValidator(lambda value: Limitations() if value is None else value)
    ] = Limitations()
    next_steps: Annotated[list[Text], BeforeValidator(_empty_if_null)] = []

    @property
    def missing_info(self) -> list[str]:
        """The named gaps, one line each, blanks dropped, bounded."""
        return _shown(self.limitations.missing_info)

    @property
    def suggestions(self) -> list[str]:
        """The next steps, one line each, blanks dropped, bounded."""
        return _shown(self.next_steps)


def parse_draft(text: str) -> DiagnosisDraft | None:
    """The draft that `text` is, or None when it is anything else. Never raises (C6)."""
    value = read_object(text)
    if value is None:
        return None
    try:
        return DiagnosisDraft.model_validate(value)
    except ValidationError:
        return None
