"""A component that could not be asked gave no verdict, and no one is told that it did (C6)."""

import pytest

from release.wording import WORDINGS
from tests.release_rules.records import citation, draft_text
from tests.release_rules.runs import case, decided, run

FALSE = [citation(quote="never said")]
PASSED = ("EVIDENCE_GUARD_INITIAL", {"passed": True, "codes": []})
REFUSED = (
    "EVIDENCE_GUARD_INITIAL",
    {"passed": False, "codes": ["QUOTE_NOT_IN_EVIDENCE", "NO_FACTUAL_SOURCE"]},
)
REPAIRED = ("EVIDENCE_REPAIR", {"readable": True})
INSUFFICIENT = decided("FALLBACK", "INSUFFICIENT_EVIDENCE")


@pytest.mark.parametrize(
    ("citations", "events", "component"),
    [
        ([citation()], [PASSED], "SEMANTIC_GUARD"),
        (FALSE, [REFUSED], "EVIDENCE_REPAIR"),
    ],
)
async def test_a_component_that_gave_no_reply_is_no_verdict(citations, events, component):
    # C6, C7.4: no budget left or a failed call is a technical fault, not missing evidence
    for language, words in WORDINGS.items():
        given = case(draft_text(citations=citations), language=language)
        release, noted, asked = await run(given, None)
        assert noted == [*events, INSUFFICIENT]
        assert [name for name, _ in asked] == [component]
        assert release["conclusion"] is None
        limitations = release["fallback"]["limitations"]
        assert words.could_not_check in limitations
        assert words.no_support not in limitations


async def test_a_guard_that_gave_no_reply_about_a_repaired_draft_is_no_verdict():
    # C6, C7.4: what the repair brought is noted, the guard is not
    release, noted, _ = await run(case(draft_text(citations=FALSE)), draft_text(), None)
    final = ("EVIDENCE_GUARD_FINAL", {"passed": True, "codes": []})
    assert noted == [REFUSED, REPAIRED, final, INSUFFICIENT]
    assert WORDINGS["zh"].could_not_check in release["fallback"]["limitations"]
