"""The outcome table, row by row, and against a second telling of it (C6)."""

from itertools import product

import pytest

from release.decision import RULES, DraftKind, Findings, ReleaseDecision, decide, decision_table
from release.vocabulary import FallbackType, ReleaseOutcome, stable_code

NOTHING = {
    "cancelled": False,
    "out_of_scope": False,
    "failure_code": None,
    "draft": DraftKind.NONE,
    "citations_verified": False,
    "supported": False,
    "missing_info_named": False,
    "verified_progress": False,
}
PROVED = {"draft": DraftKind.CONCLUSION, "citations_verified": True, "supported": True}
NULL = {"draft": DraftKind.NULL_CONCLUSION}

CANCELLED = ReleaseDecision(ReleaseOutcome.CANCELLED)
SUCCESS = ReleaseDecision(ReleaseOutcome.SUCCESS)
OUT_OF_SCOPE = ReleaseDecision(ReleaseOutcome.FALLBACK, FallbackType.OUT_OF_SCOPE)
INSUFFICIENT = ReleaseDecision(ReleaseOutcome.FALLBACK, FallbackType.INSUFFICIENT_EVIDENCE)
MISSING = ReleaseDecision(ReleaseOutcome.FALLBACK, FallbackType.MISSING_REQUIRED_CONTEXT)


def failed(code):
    return ReleaseDecision(ReleaseOutcome.FAILED, None, code)


ROWS = [
    (
        "cancelled",
        {"cancelled": True, "failure_code": "X", "out_of_scope": True, **PROVED},
        CANCELLED,
    ),
    ("out of scope", {"out_of_scope": True, "failure_code": "X", **PROVED}, OUT_OF_SCOPE),
    ("failure", {"failure_code": "MODEL_UNAVAILABLE", **PROVED}, failed("MODEL_UNAVAILABLE")),
    (
        "failure with progress is no missing evidence",
        {"failure_code": "MODEL_UNAVAILABLE", "verified_progress": True},
        failed("MODEL_UNAVAILABLE"),
    ),
    (
        "failure that is no code",
        {"failure_code": "401 for key sk-123"},
        failed("INTERNAL_FAILURE"),
    ),
    ("empty failure is a failure", {"failure_code": ""}, failed("INTERNAL_FAILURE")),
    ("proved", PROVED, SUCCESS),
    ("proved, with gaps named", {**PROVED, "missing_info_named": True}, SUCCESS),
    ("citations fail", {**PROVED, "citations_verified": False}, INSUFFICIENT),
    ("unsupported or unguarded", {**PROVED, "supported": False}, INSUFFICIENT),
    (
        "unproved conclusion asks for nothing",
        {"draft": DraftKind.CONCLUSION, "missing_info_named": True},
        INSUFFICIENT,
    ),
    ("null, gaps named", {**NULL, "missing_info_named": True}, MISSING),
    (
        "null, gaps named, progress",
        {**NULL, "missing_info_named": True, "verified_progress": True},
        INSUFFICIENT,
    ),
    ("null, nothing named", NULL, INSUFFICIENT),
    ("null, progress", {**NULL, "verified_progress": True}, INSUFFICIENT),
    ("no draft, progress", {"verified_progress": True}, INSUFFICIENT),
    ("no draft, no progress", {}, failed("NO_VALID_DRAFT")),
]


@pytest.mark.parametrize(
    ("given", "decision"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_row(given, decision):
    # C6
    assert decide(Findings(**{**NOTHING, **given})) == decision


def retold(f):
    """contract.md's table once more, as one reads it."""
    if f["cancelled"]:
        return CANCELLED
    if f["out_of_scope"]:
        return OUT_OF_SCOPE
    if f["failure_code"]:
        return failed(f["failure_code"])
    if f["draft"] == "CONCLUSION":
        return SUCCESS if f["citations_verified"] and f["supported"] else INSUFFICIENT
    if f["draft"] == "NULL_CONCLUSION":
        asks = f["missing_info_named"] and not f["verified_progress"]
        return MISSING if asks else INSUFFICIENT
    return INSUFFICIENT if f["verified_progress"] else failed("NO_VALID_DRAFT")


def test_every_combination_is_decided_as_the_contract_reads():
    # C6: first match, top down
    flag = (False, True)
    values = [flag, flag, (None, "STORE_DOWN"), tuple(DraftKind), flag, flag, flag, flag]
    for combination in product(*values):
        given = dict(zip(NOTHING, combination, strict=True))
        assert decide(Findings(**given)) == retold(given), given


def test_every_rule_is_reached_and_none_is_named_twice():
    names = [rule.what_came for rule in RULES]
    assert len(set(names)) == len(names) == 9
    reached = {
        next(rule.what_came for rule in RULES if rule.applies(Findings(**{**NOTHING, **given})))
        for _, given, _ in ROWS
    }
    assert reached == set(names)


def test_the_table_for_documents_states_each_rule_in_order():
    # README shows it
    assert decision_table() == [
        ("cancelled", "`CANCELLED`"),
        ("router: not a diagnosis question", "`FALLBACK` `OUT_OF_SCOPE`"),
        ("model or infrastructure failure that ended the run", "`FAILED`"),
        (
            "draft with a conclusion, citations verified, semantic guard says supported",
            "`SUCCESS`",
        ),
        ("draft with a conclusion otherwise", "`FALLBACK` `INSUFFICIENT_EVIDENCE`"),
        (
            "draft, `conclusion` null, missing info named, no verified progress",
            "`FALLBACK` `MISSING_REQUIRED_CONTEXT`",
        ),
        ("draft, `conclusion` null otherwise", "`FALLBACK` `INSUFFICIENT_EVIDENCE`"),
        ("no valid draft, with verified progress", "`FALLBACK` `INSUFFICIENT_EVIDENCE`"),
        ("no valid draft, no verified progress", "`FAILED`"),
    ]


@pytest.mark.parametrize("text", ["A", "MODEL_UNAVAILABLE", "HTTP_503", "A" * 64])
def test_codes(text):
    assert stable_code(text, "OTHER") == text


@pytest.mark.parametrize("text", [None, "", "a", "A B", "A\n", "_A", "5XX", "A" * 65, "A-B", "Ä"])
def test_what_is_no_code_never_gets_out(text):
    # C6.4
    assert stable_code(text, "OTHER") == "OTHER"
