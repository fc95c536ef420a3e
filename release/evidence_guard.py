"""Checks citations against canonical records, by rule and without a model (C6.1, C6.2)."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from release.draft import Citation, Claim, DiagnosisDraft
from release.snapshot import ProgressSnapshot
from tools.invocations import EvidenceItem

MIN_QUOTE_BYTES = 8


class GuardCode(StrEnum):
    """What a draft's proof lacks. Codes are reported in this order."""

    NO_CLAIM = "NO_CLAIM"
    EMPTY_STATEMENT = "EMPTY_STATEMENT"
    CLAIM_WITHOUT_CITATION = "CLAIM_WITHOUT_CITATION"
    UNKNOWN_TOOL_CALL = "UNKNOWN_TOOL_CALL"
    UNKNOWN_EVIDENCE = "UNKNOWN_EVIDENCE"
    QUOTE_NOT_IN_EVIDENCE = "QUOTE_NOT_IN_EVIDENCE"
    QUOTE_TOO_SHORT = "QUOTE_TOO_SHORT"
    NO_FACTUAL_SOURCE = "NO_FACTUAL_SOURCE"
    CONCLUSION_WITHDRAWN = "CONCLUSION_WITHDRAWN"


@dataclass(frozen=True, slots=True)
class GuardReport:
    """`codes` are distinct, in the order of `GuardCode`; none means passed."""

    passed: bool
    codes: tuple[str, ...]


def check_evidence(draft: DiagnosisDraft, snapshot: ProgressSnapshot) -> GuardReport:
    """C6.2 with a conclusion; with a null one only false citations are reported (C6.1)."""
    found = {code for _, _, code in citation_problems(draft, snapshot)}
    if draft.conclusion is not None:
        found.update(_lacks(draft, snapshot))
    return guard_report(found)


def guard_report(found: set[GuardCode]) -> GuardReport:
    """The report that states exactly the codes of `found`."""
    return GuardReport(
        passed=not found, codes=tuple(str(code) for code in GuardCode if code in found)
    )


def citation_problems(
    draft: DiagnosisDraft, snapshot: ProgressSnapshot
) -> Iterator[tuple[int, int, GuardCode]]:
    """Every false citation as (claim index, citation index, code), indexes from 0."""
    for claim_index, claim in enumerate(draft.analysis):
        for citation_index, citation in enumerate(claim.citations):
            if code := citation_code(citation, snapshot):
                yield claim_index, citation_index, code


def drop_false_citations(draft: DiagnosisDraft, snapshot: ProgressSnapshot) -> DiagnosisDraft:
    """The same draft with its true citations only (C6.1)."""
    analysis = [
        Claim(
            statement=claim.statement,
            citations=[one for one in claim.citations if citation_code(one, snapshot) is None],
        )
        for claim in draft.analysis
    ]
    return draft.model_copy(update={"analysis": analysis})


def citation_code(citation: Citation, snapshot: ProgressSnapshot) -> GuardCode | None:
    """What is wrong with a citation, first match, or None. A wrong id is never guessed right."""
    if citation.tool_call_id not in snapshot.records:
        return GuardCode.UNKNOWN_TOOL_CALL
    item = cited_evidence(citation, snapshot)
    if item is None:
        return GuardCode.UNKNOWN_EVIDENCE
    quote, text = citation.quote, item["text"]
    if quote not in text:
        return GuardCode.QUOTE_NOT_IN_EVIDENCE
    long_enough = len(quote.encode("utf-8")) >= MIN_QUOTE_BYTES or quote == text
    return None if long_enough and quote.strip() else GuardCode.QUOTE_TOO_SHORT


def cited_evidence(citation: Citation, snapshot: ProgressSnapshot) -> EvidenceItem | None:
    """The evidence that a citation names, whether or not its quote stands there."""
    record = snapshot.records.get(citation.tool_call_id)
    items = record["evidence"] if record else []
    return next((item for item in items if item["id"] == citation.evidence_id), None)


def _lacks(draft: DiagnosisDraft, snapshot: ProgressSnapshot) -> Iterator[GuardCode]:
    if not draft.analysis:
        yield GuardCode.NO_CLAIM
    for claim in draft.analysis:
        if not claim.statement.strip():
            yield GuardCode.EMPTY_STATEMENT
        if not claim.citations:
            yield GuardCode.CLAIM_WITHOUT_CITATION
    true = (
        citation
        for claim in draft.analysis
        for citation in claim.citations
        if citation_code(citation, snapshot) is None
    )
    if not any(snapshot.records[citation.tool_call_id]["factual"] for citation in true):
        yield GuardCode.NO_FACTUAL_SOURCE
