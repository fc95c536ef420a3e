"""What of a proved draft is released, and in which form (api.md, C6.4)."""

import pytest

from release.fallback import build_fallback
from release.released import masked_release, released_analysis, released_fallback, released_text
from release.vocabulary import FallbackType
from tests.release_rules.records import citation, draft, record, snapshot


def test_citations_are_released_with_the_place_they_stand_in():
    proved = draft(citations=[citation(), citation("z")])
    assert released_analysis(proved, snapshot(record("a"))) == [
        {
            "statement": "切换企业时令牌已过期",
            "citations": [
                {**citation(), "source": "tenant.log:7"},
                {**citation("z"), "source": ""},
            ],
        }
    ]


def test_prose_is_trimmed_and_inert():
    assert released_text(" a\n\x1bb ") == "a\n\\x1bb"


def test_a_fallback_is_released_as_primitives():
    told = build_fallback(FallbackType.INSUFFICIENT_EVIDENCE, snapshot(record("a")), language="en")
    plain = released_fallback(told)
    assert plain == told.model_dump(mode="json")
    assert type(plain["type"]) is str


@pytest.mark.parametrize("concludes", [True, False])
def test_what_a_model_wrote_is_masked_and_what_was_checked_is_not(concludes):
    # C6.2: a quote stays byte for byte; the text around it is a model's own
    claim = {"statement": "s", "citations": [{**citation("q"), "source": "tenant.log:7"}]}
    lists = {"observed_facts": ["o"], "next_steps": ["n"]}
    told = {"type": "t", "verified_sources": ["v"], "limitations": ["l", "m"], **lists}
    release = {
        "outcome": "x",
        "conclusion": "c" if concludes else None,
        "analysis": [claim],
        "fallback": None if concludes else told,
        "error_code": "e",
        "stop_reason": "r",
        "run_id": "1",
        "session_id": "2",
        **lists,
    }
    masked = masked_release(release, lambda text: f"<{text}>")
    assert masked == {
        **release,
        "conclusion": "<c>" if concludes else None,
        "analysis": [{**claim, "statement": "<s>"}],
        "fallback": None
        if concludes
        else {**told, "limitations": ["<l>", "<m>"], "next_steps": ["<n>"]},
        "next_steps": ["<n>"],
    }
