"""What of a proved draft is released, and in which form (api.md, C6.4)."""

from release.fallback import build_fallback
from release.released import released_analysis, released_fallback, released_text
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
