"""Which outcome a run gets: one ordered table of named rules, first match, top down (C6)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from release.vocabulary import FallbackType, ReleaseOutcome, stable_code

INTERNAL_FAILURE = "INTERNAL_FAILURE"
NO_VALID_DRAFT = "NO_VALID_DRAFT"


class DraftKind(StrEnum):
    """What the agent ended with."""

    NONE = "NONE"
    NULL_CONCLUSION = "NULL_CONCLUSION"
    CONCLUSION = "CONCLUSION"


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything the decision rests on, established before it is taken."""

    cancelled: bool
    out_of_scope: bool
    failure_code: str | None
    draft: DraftKind
    citations_verified: bool
    supported: bool
    missing_info_named: bool
    verified_progress: bool


@dataclass(frozen=True, slots=True)
class ReleaseDecision:
    """`fallback_type` only with FALLBACK, `error_code` only with FAILED."""

    outcome: ReleaseOutcome
    fallback_type: FallbackType | None = None
    error_code: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of the table: what came, in words; the predicate that recognises it; the decision."""

    what_came: str
    applies: Callable[[Findings], bool]
    decision: ReleaseDecision


def cancelled(findings: Findings) -> bool:
    return findings.cancelled


def out_of_scope(findings: Findings) -> bool:
    return findings.out_of_scope


def failure(findings: Findings) -> bool:
    return findings.failure_code is not None


def proved_conclusion(findings: Findings) -> bool:
    return conclusion(findings) and findings.citations_verified and findings.supported


def conclusion(findings: Findings) -> bool:
    return findings.draft is DraftKind.CONCLUSION


def missing_context(findings: Findings) -> bool:
    named = null_conclusion(findings) and findings.missing_info_named
    return named and not findings.verified_progress


def null_conclusion(findings: Findings) -> bool:
    return findings.draft is DraftKind.NULL_CONCLUSION


def verified_progress(findings: Findings) -> bool:
    return findings.verified_progress


def nothing_else(findings: Findings) -> bool:
    return True


SUCCESS = ReleaseDecision(ReleaseOutcome.SUCCESS)
CANCELLED = ReleaseDecision(ReleaseOutcome.CANCELLED)
# the failure's own code takes the place of this one
FAILURE = ReleaseDecision(ReleaseOutcome.FAILED, error_code=INTERNAL_FAILURE)
NOTHING = ReleaseDecision(ReleaseOutcome.FAILED, error_code=NO_VALID_DRAFT)
OUT_OF_SCOPE = ReleaseDecision(ReleaseOutcome.FALLBACK, FallbackType.OUT_OF_SCOPE)
INSUFFICIENT = ReleaseDecision(ReleaseOutcome.FALLBACK, FallbackType.INSUFFICIENT_EVIDENCE)
MISSING = ReleaseDecision(ReleaseOutcome.FALLBACK, FallbackType.MISSING_REQUIRED_CONTEXT)

RULES: tuple[Rule, ...] = (
    Rule("cancelled", cancelled, CANCELLED),
    Rule("router: not a diagnosis question", out_of_scope, OUT_OF_SCOPE),
    Rule("model or infrastructure failure that ended the run", failure, FAILURE),
    Rule(
        "draft with a conclusion, citations verified, semantic guard says supported",
        proved_conclusion,
        SUCCESS,
    ),
    Rule("draft with a conclusion otherwise", conclusion, INSUFFICIENT),
    Rule(
        "draft, `conclusion` null, missing info named, no verified progress",
        missing_context,
        MISSING,
    ),
    Rule("draft, `conclusion` null otherwise", null_conclusion, INSUFFICIENT),
    Rule("no valid draft, with verified progress", verified_progress, INSUFFICIENT),
    Rule("no valid draft, no verified progress", nothing_else, NOTHING),
)


def decide(findings: Findings) -> ReleaseDecision:
    """The decision of the first rule that applies; the last one always does."""
    decision = next(rule.decision for rule in RULES if rule.applies(findings))
    if decision is not FAILURE:
        return decision
    return replace(decision, error_code=stable_code(findings.failure_code, INTERNAL_FAILURE))


def decision_table() -> list[tuple[str, str]]:
    """The rules as (what came, outcome in words), in order, for documents that show them."""
    return [(rule.what_came, _in_words(rule.decision)) for rule in RULES]


def _in_words(decision: ReleaseDecision) -> str:
    words = (decision.outcome, decision.fallback_type)
    return " ".join(f"`{word}`" for word in words if word)
