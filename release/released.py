"""The `release` key of the state: JSON-able, and all of a run that its user is given (`api.md`)."""

from collections.abc import Callable

from typing_extensions import TypedDict

from release.draft import Citation, DiagnosisDraft
from release.evidence_guard import cited_evidence
from release.fallback import SafeFallback
from release.plain_text import visible
from release.snapshot import ProgressSnapshot


class ReleasedCitation(TypedDict):
    """`quote` stands verbatim in the evidence; `source` is where that evidence stands."""

    tool_call_id: str
    evidence_id: str
    source: str
    quote: str


class ReleasedClaim(TypedDict):
    """A statement with the citations it was released on."""

    statement: str
    citations: list[ReleasedCitation]


class ReleasedFallback(TypedDict):
    """A `SafeFallback` as primitives."""

    type: str
    observed_facts: list[str]
    verified_sources: list[str]
    limitations: list[str]
    next_steps: list[str]


class Release(TypedDict):
    """`conclusion` and `analysis` only on SUCCESS, `fallback` only on
    FALLBACK, `error_code` only on FAILED. `next_steps` are a success's unproved suggestions."""

    outcome: str
    conclusion: str | None
    analysis: list[ReleasedClaim]
    fallback: ReleasedFallback | None
    error_code: str | None
    stop_reason: str | None
    observed_facts: list[str]
    next_steps: list[str]
    run_id: str
    session_id: str


def released_text(text: str) -> str:
    """A model's prose as released: trimmed, nothing in it that acts on a screen."""
    return visible(text.strip())


def masked_release(release: Release, mask: Callable[[str], str]) -> Release:
    """The same release, what a model wrote in it masked. Facts, sources and quotes come from masked
    records; a quote stays byte for byte what was checked."""
    analysis = [
        ReleasedClaim(statement=mask(claim["statement"]), citations=claim["citations"])
        for claim in release["analysis"]
    ]
    fallback = release["fallback"]
    if fallback:
        fallback = {
            **fallback,
            "limitations": [mask(line) for line in fallback["limitations"]],
            "next_steps": [mask(line) for line in fallback["next_steps"]],
        }
    return {
        **release,
        "conclusion": None if release["conclusion"] is None else mask(release["conclusion"]),
        "analysis": analysis,
        "fallback": fallback,
        "next_steps": [mask(line) for line in release["next_steps"]],
    }


def released_fallback(fallback: SafeFallback) -> ReleasedFallback:
    """The same fields, the type as a plain string."""
    return ReleasedFallback(
        type=str(fallback.type),
        observed_facts=fallback.observed_facts,
        verified_sources=fallback.verified_sources,
        limitations=fallback.limitations,
        next_steps=fallback.next_steps,
    )


def released_analysis(draft: DiagnosisDraft, snapshot: ProgressSnapshot) -> list[ReleasedClaim]:
    """The claims of a proved draft; quotes stay byte for byte what they were checked as."""
    return [
        ReleasedClaim(
            statement=released_text(claim.statement),
            citations=[_citation(citation, snapshot) for citation in claim.citations],
        )
        for claim in draft.analysis
    ]


def _citation(citation: Citation, snapshot: ProgressSnapshot) -> ReleasedCitation:
    item = cited_evidence(citation, snapshot)
    return ReleasedCitation(
        tool_call_id=citation.tool_call_id,
        evidence_id=citation.evidence_id,
        source=item["source"] if item else "",
        quote=citation.quote,
    )
