"""A fallback is made from records, bounded, and honest about what it does not know (C6.3)."""

import re

import pytest
from pydantic import ValidationError

from release import SafeFallback
from release.fallback import (
    MAX_LIMITATIONS,
    MAX_NEXT_STEPS,
    MAX_SOURCES,
    build_fallback,
    observed_facts,
    verified_sources,
)
from release.snapshot import GapKind, project_snapshot
from release.vocabulary import FallbackType, StopReason
from release.wording import WORDINGS
from tests.release_rules.records import RUN, empty, knowledge, record, snapshot

ZH, EN = WORDINGS["zh"], WORDINGS["en"]
INSUFFICIENT = FallbackType.INSUFFICIENT_EVIDENCE
MISSING = FallbackType.MISSING_REQUIRED_CONTEXT
OUT_OF_SCOPE = FallbackType.OUT_OF_SCOPE


def english(kind, held, **options):
    return build_fallback(kind, held, language="en", **options)


def test_missing_context_asks_for_what_is_missing():
    # C6.3
    held = snapshot()
    asked = build_fallback(MISSING, held, language="zh", missing_info=["企业", "时间范围"])
    assert asked == SafeFallback(
        type=MISSING,
        observed_facts=[],
        verified_sources=[],
        limitations=["本次没有取得任何查询结果。", "缺少信息：企业", "缺少信息：时间范围"],
        next_steps=["请补充：企业", "请补充：时间范围"],
    )


def test_out_of_scope_says_so_and_nothing_else():
    told = english(OUT_OF_SCOPE, snapshot(stop_reason="BUDGET_LIMIT_REACHED"), missing_info=["x"])
    assert told == SafeFallback(
        type=OUT_OF_SCOPE,
        observed_facts=[],
        verified_sources=[],
        limitations=[EN.out_of_scope],
        next_steps=[EN.ask_about_fault],
    )


def test_insufficient_evidence_tells_what_was_checked_and_what_limits_it():
    # C6.3
    held = snapshot(
        record("a", total=95, truncated=True), empty("b"), stop_reason="INFORMATION_SATURATED"
    )
    told = english(INSUFFICIENT, held, missing_info=["the tenant"], false_citations=True)
    assert told == SafeFallback(
        type=INSUFFICIENT,
        observed_facts=[
            "query_logs (service tenant): 1 of 95 matches retrieved, content was truncated.",
            "query_logs (service tenant): nothing matched in this scope.",
        ],
        verified_sources=["query_logs: tenant.log:7", "query_logs"],
        limitations=[
            EN.no_support,
            EN.stop[StopReason.INFORMATION_SATURATED],
            "Missing: the tenant",
            EN.false_citations,
            EN.empty_results,
            EN.truncated_results,
        ],
        next_steps=["Please provide: the tenant", EN.narrower_scope, EN.other_scope],
    )


def test_a_plain_result_is_limited_by_nothing_but_its_support():
    told = english(INSUFFICIENT, snapshot(record("a")))
    assert told.limitations == [EN.no_support]
    assert told.next_steps == [EN.more_detail]


def test_without_any_result_the_context_is_asked_for():
    told = english(INSUFFICIENT, snapshot())
    assert told.limitations == [EN.no_support, EN.nothing_checked]
    assert told.next_steps == [EN.give_context]


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ([knowledge("a")], True),
        ([knowledge("a"), empty("b")], True),
        ([knowledge("a"), record("b")], False),
        ([empty("a")], False),
    ],
)
def test_knowledge_alone_is_said_to_support_nothing(records, said):
    # C6.2
    told = english(INSUFFICIENT, snapshot(*records))
    assert (EN.knowledge_only in told.limitations) is said


@pytest.mark.parametrize("reason", StopReason)
def test_each_stop_reason_has_words_and_no_figures(reason):
    # C6.3, C6.4
    for language, words in WORDINGS.items():
        told = build_fallback(
            INSUFFICIENT, snapshot(record("a"), stop_reason=str(reason)), language=language
        )
        assert told.limitations == [words.no_support, words.stop[reason]]
        assert not re.search(r"\d", words.stop[reason])


def test_no_stop_reason_and_an_unknown_one_are_not_worded():
    for reason in (None, "SOMETHING_ELSE"):
        told = english(INSUFFICIENT, snapshot(record("a"), stop_reason=reason))
        assert told.limitations == [EN.no_support]


def test_a_source_that_failed_is_unknown_and_never_empty():
    # C6: an ERROR record is a limitation; opensre: only zero rows are empty
    held = snapshot(record("a", status="ERROR", error_code="LOGS_UNREADABLE"))
    told = english(INSUFFICIENT, held)
    assert told.observed_facts == []
    assert told.verified_sources == []
    assert told.limitations == [
        EN.no_support,
        EN.nothing_checked,
        "query_logs could not be asked (error code LOGS_UNREADABLE); "
        "what this source holds is unknown.",
    ]
    assert told.next_steps == [
        "Please make sure that the source behind query_logs is available, and ask again.",
        EN.give_context,
    ]


def test_gaps_are_worded_in_both_languages():
    found = {"a": record("a", status="STARTED"), "b": None}
    held = project_snapshot(["a", "b"], found, run_id=RUN, stop_reason=None)
    assert english(INSUFFICIENT, held).limitations[2:] == [
        "A query of query_logs did not finish; its result does not count.",
        EN.gap[GapKind.UNREADABLE],
    ]
    told = build_fallback(INSUFFICIENT, held, language="zh")
    assert told.limitations[2:] == [
        "query_logs 的一次查询没有完成，结果未计入。",
        ZH.gap[GapKind.UNREADABLE],
    ]
    assert told.next_steps == [ZH.give_context]


def test_no_sentence_reads_an_empty_result_as_no_fault():
    # C6.3
    told = [
        *english(INSUFFICIENT, snapshot(empty("a"))).limitations,
        *build_fallback(INSUFFICIENT, snapshot(empty("a")), language="zh").limitations,
        *observed_facts(snapshot(empty("a")), "en"),
        *observed_facts(snapshot(empty("a")), "zh"),
    ]
    text = "\n".join(told)
    assert not re.search(r"no (fault|problem|issue|error)|没有(故障|问题|异常)|正常|healthy", text)
    assert EN.empty_results in told
    assert ZH.empty_results in told


@pytest.mark.parametrize("language", ["zh", "en"])
def test_no_sentence_names_the_machinery_or_a_figure(language):
    # C6.4
    words = WORDINGS[language]
    texts = [getattr(words, name) for name in words.__slots__]
    flat = [text for text in texts if isinstance(text, str)]
    flat += [text for table in (words.stop, words.gap) for text in table.values()]
    said = "\n".join(flat)
    assert not re.search(
        r"\d|budget|预算|token|threshold|阈值|counter|计数|harness|NO_GAIN|prompt|提示词",
        said,
        re.I,
    )


def placeholders(text):
    return re.findall(r"{\w*}", text)


def test_both_languages_fill_in_the_same_things():
    for name in ZH.__slots__:
        chinese, english_one = getattr(ZH, name), getattr(EN, name)
        if isinstance(chinese, str):
            assert sorted(placeholders(chinese)) == sorted(placeholders(english_one))
        else:
            assert chinese.keys() == english_one.keys()


def test_lists_are_bounded_and_distinct():
    # C6.3: bounded
    items = [{"id": f"e{n}", "source": f"s{n}", "text": "x"} for n in range(5)]
    many = [
        record(f"k{n}", evidence=[{**item, "source": f"{n}-{item['source']}"} for item in items])
        for n in range(9)
    ]
    told = english(INSUFFICIENT, snapshot(*many), missing_info=[f"m{n}" for n in range(30)] * 2)
    assert len(told.verified_sources) == MAX_SOURCES
    assert told.limitations == [
        EN.no_support,
        *(f"Missing: m{n}" for n in range(MAX_LIMITATIONS - 1)),
    ]
    assert told.next_steps == [f"Please provide: m{n}" for n in range(MAX_NEXT_STEPS)]


def test_sources_are_inert_bounded_and_named_once():
    items = [{"id": "e1", "source": "a\x1b.log\n:1", "text": "x"}]
    held = snapshot(
        record("a", evidence=items), record("b", evidence=items), empty("c"), empty("d")
    )
    assert verified_sources(held) == ["query_logs: a\\x1b.log :1", "query_logs"]
    long = snapshot(record("a", evidence=[{**items[0], "source": "s" * 999}]))
    assert len(verified_sources(long)[0]) == len("query_logs: ") + 160


def test_the_shape_is_closed():
    # api.md
    told = english(INSUFFICIENT, snapshot(record("a")))
    assert list(told.model_dump(mode="json")) == [
        "type",
        "observed_facts",
        "verified_sources",
        "limitations",
        "next_steps",
    ]
    with pytest.raises(ValidationError):
        SafeFallback.model_validate({**told.model_dump(), "budget": 1})
