"""One run against one case, and totals over a file of them."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from graph.evaluation.cases import Case
from graph.evaluation.citations import cited, missing_citations
from graph.evaluation.claims import claims_made
from tools.invocations import InvocationRecord


@dataclass(frozen=True, slots=True)
class Run:
    """What scoring needs of a finished run: its public state and its canonical records."""

    state: dict[str, Any]
    records: Sequence[InvocationRecord]
    seconds: float


@dataclass(frozen=True, slots=True)
class Score:
    """How one case went. `right` wants the outcome, every keyword, true citations, no ban broken.

    `missing_citations` lowers `cited` only: other evidence may prove a cause as well.
    """

    id: str
    expected: str
    got: str
    stop_reason: str | None
    missing_keywords: list[str]
    citations: int
    false_citations: int
    missing_citations: list[str]
    must_cite: int
    forbidden: list[str]
    rounds: int
    tool_calls: int
    tokens: int
    tokens_reconciled: bool
    seconds: float

    @property
    def right(self) -> bool:
        answered = self.got == self.expected and not self.missing_keywords
        return answered and not self.false_citations and not self.forbidden

    @property
    def wrong_cause(self) -> bool:
        """A conclusion was released that should not have been: the worst that can happen."""
        return self.got == "SUCCESS" and (
            self.expected != "SUCCESS" or bool(self.missing_keywords or self.forbidden)
        )


def score(case: Case, run: Run) -> Score:
    """Judge a run by its release, its records and its trace."""
    release, usage = run.state["release"], run.state["usage"]
    found = cited(release["analysis"] or [], run.records)
    expected, answer = case.expected, answer_text(release)
    literal = json.dumps(release, ensure_ascii=False)
    finished = run.state["trace"][-1]
    return Score(
        id=case.id,
        expected=expected.kind,
        got=_kind(release),
        stop_reason=release["stop_reason"],
        missing_keywords=[
            keyword
            for keyword in expected.root_cause_keywords
            if not re.search(keyword, answer, re.IGNORECASE)
        ],
        citations=len(found),
        false_citations=sum(not one.true for one in found),
        missing_citations=missing_citations(expected.must_cite, found, case.evidence),
        must_cite=len(expected.must_cite),
        forbidden=[
            *claims_made(release["conclusion"], list(expected.must_not_claim)),
            *(text for text in expected.must_not_contain if text in literal),
        ],
        rounds=len(run.state["steps"]),
        tool_calls=usage["tool_calls"],
        tokens=usage["total_tokens"],
        tokens_reconciled=bool(finished.get("tokens_reconciled")),
        seconds=round(run.seconds, 2),
    )


def answer_text(release: dict[str, Any]) -> str:
    """What keywords are looked for in: the conclusion, the statements and the quotes under them."""
    claims = release["analysis"] or []
    statements = [claim["statement"] for claim in claims]
    quotes = [one["quote"] for claim in claims for one in claim["citations"]]
    return "\n".join([release["conclusion"] or "", *statements, *quotes])


def totals(scores: Sequence[Score]) -> dict[str, Any]:
    """Right of all by expected outcome, wrong causes, citations, and what it cost."""
    wanted = Counter(one.expected for one in scores)
    right = Counter(one.expected for one in scores if one.right)
    asked = sum(one.must_cite for one in scores)
    return {
        "right": {kind: f"{right[kind]}/{count}" for kind, count in sorted(wanted.items())},
        "all_right": f"{right.total()}/{wanted.total()}",
        "wrong_causes": [one.id for one in scores if one.wrong_cause],
        "false_citations": sum(one.false_citations for one in scores),
        "must_cite_covered": f"{asked - sum(len(one.missing_citations) for one in scores)}/{asked}",
        "tokens": sum(one.tokens for one in scores),
        "tool_calls": sum(one.tool_calls for one in scores),
        "tokens_reconciled": all(one.tokens_reconciled for one in scores),
        "seconds": round(sum(one.seconds for one in scores), 2),
    }


def as_json(scores: Sequence[Score]) -> dict[str, Any]:
    """Everything, as plain values."""
    cases = [{**asdict(one), "right": one.right, "wrong_cause": one.wrong_cause} for one in scores]
    return {"cases": cases, "totals": totals(scores)}


def _kind(release: dict[str, Any]) -> str:
    fallback = release["fallback"]
    return str(fallback["type"]) if fallback else str(release["outcome"])
