"""Which outcome a run gets: one ordered table, first match, top down (C6)."""

from collections.abc import Callable
from dataclasses import dataclass
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
    """A row of the table: `what_came` in words, the predicate for it, and what it leads to."""

    name: str
    what_came: str
    applies: Callable[[Findings], bool]
    leads_to: Callable[[Findings], ReleaseDecision]


def _fallback(kind: FallbackType) -> Callable[[Findings], ReleaseDecision]:
    return lambda findings: ReleaseDecision(ReleaseOutcome.FALLBACK, fallback_type=kind)


def _failed(code_of: Callable[[Findings], str]) -> Callable[[Findings], ReleaseDecision]:
    return lambda findings: ReleaseDecision(ReleaseOutcome.FAILED, error_code=code_of(findings))


RULES: tuple[Rule, ...] = (
    Rule(
        "cancelled",
        "cancelled",
        lambda findings: findings.cancelled,
        lambda findings: ReleaseDecision(ReleaseOutcome.CANCELLED),
    ),
    Rule(
        "out_of_scope",
        "router: not a diagnosis question",
        lambda findings: findings.out_of_scope,
        _fallback(FallbackType.OUT_OF_SCOPE),
    ),
    Rule(
        "failure",
        "model or infrastructure failure that ended the run",
        lambda findings: findings.failure_code is not None,
        _failed(lambda findings: stable_code(findings.failure_code, INTERNAL_FAILURE)),
    ),
    Rule(
        "proved_conclusion",
        "draft with a conclusion, citations verified, semantic guard says supported",
        lambda findings: (
            findings.draft is DraftKind.CONCLUSION
            and findings.citations_verified
            and findings.supported
        ),
        lambda findings: ReleaseDecision(ReleaseOutcome.SUCCESS),
    ),
    Rule(
        "unproved_conclusion",
        "draft with a conclusion otherwise",
        lambda findings: findings.draft is DraftKind.CONCLUSION,
        _fallback(FallbackType.INSUFFICIENT_EVIDENCE),
    ),
    Rule(
        "missing_context",
        "draft, `conclusion` null, missing info named, no verified progress",
        lambda findings: (
            findings.draft is DraftKind.NULL_CONCLUSION
            and findings.missing_info_named
            and not findings.verified_progress
        ),
        _fallback(FallbackType.MISSING_REQUIRED_CONTEXT),
    ),
    Rule(
        "null_conclusion",
        "draft, `conclusion` null otherwise",
        lambda findings: findings.draft is DraftKind.NULL_CONCLUSION,
        _fallback(FallbackType.INSUFFICIENT_EVIDENCE),
    ),
    Rule(
        "no_draft_with_progress",
        "no valid draft, with verified progress",
        lambda findings: findings.verified_progress,
        _fallback(FallbackType.INSUFFICIENT_EVIDENCE),
    ),
    Rule(
        "no_draft_without_progress",
        "no valid draft, no verified progress",
        lambda findings: True,
        _failed(lambda findings: NO_VALID_DRAFT),
    ),
)


def decide(findings: Findings) -> ReleaseDecision:
    """The decision of the first rule that applies; the last one always does."""
    return next(rule for rule in RULES if rule.applies(findings)).leads_to(findings)


def decision_table() -> list[tuple[str, str]]:
    """The rules as (what came, outcome in words), in order, for documents that show them."""
    nothing = Findings(False, False, None, DraftKind.NONE, False, False, False, False)
    rows = []
    for rule in RULES:
        decision = rule.leads_to(nothing)
        words = " ".join(f"`{word}`" for word in (decision.outcome, decision.fallback_type) if word)
        rows.append((rule.what_came, words))
    return rows
