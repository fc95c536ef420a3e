"""A whole release: who is asked, what is noted, what comes out (C6, C7)."""

import json

import pytest

from prompts import load_prompt
from release.pipeline import run_release
from tests.release_rules.records import citation, draft_text, empty, knowledge, record, snapshot
from tests.release_rules.runs import case, decided, run

SUPPORTED = '{"supported": true, "reasons": ["secret reason"]}'
UNSUPPORTED = '{"supported": false}'
FALSE = [citation(quote="never said")]
PASSED = ("EVIDENCE_GUARD_INITIAL", {"passed": True, "codes": []})
REFUSED = (
    "EVIDENCE_GUARD_INITIAL",
    {"passed": False, "codes": ["QUOTE_NOT_IN_EVIDENCE", "NO_FACTUAL_SOURCE"]},
)
REPAIRED = ("EVIDENCE_REPAIR", {"readable": True})
SUPPORT = ("SEMANTIC_GUARD", {"supported": True, "readable": True})


INSUFFICIENT = decided("FALLBACK", "INSUFFICIENT_EVIDENCE")


async def test_a_proved_conclusion_is_released_whole():
    # C6: SUCCESS
    text = draft_text(next_steps=["renew the token"], limitations={"notes": ["thought"]})
    release, events, asked = await run(case(text), SUPPORTED)
    assert events == [PASSED, SUPPORT, decided("SUCCESS")]
    assert [component for component, _ in asked] == ["SEMANTIC_GUARD"]
    assert asked[0][1][0] == ("system", load_prompt("semantic_guard", "zh"))
    assert release == {
        "outcome": "SUCCESS",
        "conclusion": "令牌过期",
        "analysis": [
            {
                "statement": "切换企业时令牌已过期",
                "citations": [{**citation(), "source": "tenant.log:7"}],
            }
        ],
        "fallback": None,
        "error_code": None,
        "stop_reason": None,
        "observed_facts": ["query_logs（服务 tenant）：找到 1 条。"],
        "next_steps": ["renew the token"],
        "run_id": "run-1",
        "session_id": "session-1",
    }
    assert json.loads(json.dumps(release)) == release


async def test_a_repaired_conclusion_is_released_in_its_repaired_form():
    # C6: after at most one repair
    repaired = draft_text("令牌已经过期", next_steps=["b"])
    given = case(draft_text(citations=FALSE, next_steps=["a"]))
    release, events, asked = await run(given, repaired, SUPPORTED)
    final = ("EVIDENCE_GUARD_FINAL", {"passed": True, "codes": []})
    assert events == [REFUSED, REPAIRED, final, SUPPORT, decided("SUCCESS")]
    assert [component for component, _ in asked] == ["EVIDENCE_REPAIR", "SEMANTIC_GUARD"]
    assert asked[0][1][0] == ("system", load_prompt("evidence_repair", "zh"))
    shown_to_repair, shown_to_guard = (json.loads(messages[1][1]) for _, messages in asked)
    assert shown_to_repair["question"] == shown_to_guard["question"] == given.question
    assert shown_to_guard["conclusion"] == "令牌已经过期"
    assert (release["conclusion"], release["next_steps"]) == ("令牌已经过期", ["b"])


@pytest.mark.parametrize(
    ("reply", "events"),
    [
        ("", [("EVIDENCE_REPAIR", {"readable": False})]),
        ("cannot", [("EVIDENCE_REPAIR", {"readable": False})]),
        (
            draft_text(None),
            [
                REPAIRED,
                ("EVIDENCE_GUARD_FINAL", {"passed": False, "codes": ["CONCLUSION_WITHDRAWN"]}),
            ],
        ),
        (
            draft_text(citations=[citation("z")]),
            [
                REPAIRED,
                (
                    "EVIDENCE_GUARD_FINAL",
                    {"passed": False, "codes": ["UNKNOWN_TOOL_CALL", "NO_FACTUAL_SOURCE"]},
                ),
            ],
        ),
    ],
    ids=["empty", "prose", "null", "still false"],
)
async def test_a_failed_repair_ends_in_insufficient_evidence(reply, events):
    # C6: a repair that is null, invalid or fails counts so; no second one, and no guard
    release, noted, asked = await run(case(draft_text(citations=FALSE)), reply)
    assert noted == [REFUSED, *events, INSUFFICIENT]
    assert [component for component, _ in asked] == ["EVIDENCE_REPAIR"]
    assert (release["outcome"], release["conclusion"], release["analysis"]) == (
        "FALLBACK",
        None,
        [],
    )


@pytest.mark.parametrize(("reply", "readable"), [(UNSUPPORTED, True), ("hm", False)])
async def test_an_unsupported_conclusion_is_not_released(reply, readable):
    # C6: unsupported, or a verdict that cannot be read
    text = draft_text(next_steps=["never"], limitations={"missing_info": ["trace id"]})
    release, events, _ = await run(case(text), reply)
    verdict = ("SEMANTIC_GUARD", {"supported": False, "readable": readable})
    assert events == [PASSED, verdict, INSUFFICIENT]
    assert (release["conclusion"], release["analysis"], release["next_steps"]) == (None, [], [])
    assert release["fallback"]["type"] == "INSUFFICIENT_EVIDENCE"
    assert "缺少信息：trace id" in release["fallback"]["limitations"]


async def test_knowledge_alone_is_never_released_as_a_cause():
    # C6.2
    text = draft_text(citations=[citation("k", quote="Tokens expire")])
    release, events, _ = await run(case(text, snapshot(knowledge("k"))), text)
    assert events[0][1] == {"passed": False, "codes": ["NO_FACTUAL_SOURCE"]}
    assert release["outcome"] == "FALLBACK"


async def test_a_null_conclusion_with_named_gaps_and_no_progress_asks_for_them():
    # C6; the last two events of C7.1's nine
    text = draft_text(None, analysis=[], limitations={"missing_info": ["企业", "时间"]})
    release, events, asked = await run(case(text, snapshot()))
    assert events == [PASSED, decided("FALLBACK", "MISSING_REQUIRED_CONTEXT", facts=0)]
    assert asked == []
    assert release["fallback"]["type"] == "MISSING_REQUIRED_CONTEXT"
    assert release["fallback"]["next_steps"] == ["请补充：企业", "请补充：时间"]


async def test_gaps_that_are_blank_are_not_named():
    text = draft_text(None, analysis=[], limitations={"missing_info": [" "]})
    _, events, _ = await run(case(text, snapshot()))
    assert events[-1] == decided("FALLBACK", "INSUFFICIENT_EVIDENCE", facts=0)


async def test_a_null_conclusion_after_checks_is_insufficient_evidence():
    # C6
    text = draft_text(None, limitations={"missing_info": ["企业"]})
    release, events, _ = await run(case(text, snapshot(empty("b"))))
    assert events[-1] == INSUFFICIENT
    assert release["fallback"]["observed_facts"] == release["observed_facts"]
    assert release["observed_facts"] == ["query_logs（服务 tenant）：该范围内没有匹配的内容。"]


async def test_false_citations_of_a_null_conclusion_are_a_limitation_and_ask_no_model():
    # C6.1
    dropped = "部分引用与查询结果不符，已剔除。"
    release, events, asked = await run(case(draft_text(None, citations=FALSE)))
    codes = {"passed": False, "codes": ["QUOTE_NOT_IN_EVIDENCE"]}
    assert events == [("EVIDENCE_GUARD_INITIAL", codes), INSUFFICIENT]
    assert asked == []
    assert dropped in release["fallback"]["limitations"]
    release, _, _ = await run(case(draft_text(None)))
    assert dropped not in release["fallback"]["limitations"]


@pytest.mark.parametrize(
    "text", [None, "", "The cause is a token.", f"<think>{draft_text()}</think>"]
)
async def test_no_valid_draft_is_judged_by_progress(text):
    # C6: the text discarded
    release, events, asked = await run(case(text))
    assert (events, asked) == ([INSUFFICIENT], [])
    assert "cause" not in json.dumps(release)
    release, events, _ = await run(case(text, snapshot()))
    assert events == [decided("FAILED", error_code="NO_VALID_DRAFT", facts=0)]
    assert (release["error_code"], release["fallback"]) == ("NO_VALID_DRAFT", None)


@pytest.mark.parametrize(
    "reason", ["INFORMATION_SATURATED", "PROGRESS_PROTOCOL_VIOLATED", "BUDGET_LIMIT_REACHED"]
)
async def test_a_draft_is_judged_as_a_draft_whatever_the_stop_reason(reason):
    # C6; deer-flow 4176: the same reason everywhere
    held = snapshot(record("a"), stop_reason=reason)
    release, events, _ = await run(case(draft_text(), held), SUPPORTED)
    assert events[-1] == decided("SUCCESS", stop_reason=reason)
    assert release["stop_reason"] == reason
    release, events, _ = await run(case(None, held))
    assert events == [decided("FALLBACK", "INSUFFICIENT_EVIDENCE", stop_reason=reason)]
    assert release["stop_reason"] == reason


ENDED = [
    ({"cancelled": True}, decided("CANCELLED")),
    ({"intent_out_of_scope": True}, decided("FALLBACK", "OUT_OF_SCOPE")),
    ({"failure_code": "MODEL_UNAVAILABLE"}, decided("FAILED", None, "MODEL_UNAVAILABLE")),
    ({"failure_code": "Error: dsn"}, decided("FAILED", None, "INTERNAL_FAILURE")),
    ({"cancelled": True, "failure_code": "MODEL_UNAVAILABLE"}, decided("CANCELLED")),
]


@pytest.mark.parametrize(("changes", "event"), ENDED)
async def test_what_ended_the_run_voids_its_draft(changes, event):
    # C6: first match, and no model is asked
    release, events, asked = await run(case(draft_text(), **changes))
    assert (events, asked) == ([event], [])
    assert release["conclusion"] is None
    assert release["error_code"] == event[1]["error_code"]
    assert release["observed_facts"] == ["query_logs（服务 tenant）：找到 1 条。"]
    assert (release["fallback"] is None) is (event[1]["outcome"] != "FALLBACK")


async def test_facts_and_words_follow_the_language_of_the_question():
    # C6.3
    release, _, asked = await run(case(draft_text(), language="en"), SUPPORTED)
    assert release["observed_facts"] == ["query_logs (service tenant): 1 found."]
    assert asked[0][1][0] == ("system", load_prompt("semantic_guard", "en"))
    release, _, _ = await run(case(draft_text(None), language="en"))
    assert release["fallback"]["limitations"][0].startswith("The verified evidence")


async def test_instructions_come_from_where_the_caller_says():
    # C9: a team's prompt folder
    asked = []

    async def ask(component, messages):
        asked.append(messages[0])
        return draft_text() if component == "EVIDENCE_REPAIR" else SUPPORTED

    await run_release(
        case(draft_text(citations=FALSE)),
        ask,
        lambda kind, fields: None,
        prompt=lambda component, language: f"{component} {language}",
    )
    assert asked == [("system", "evidence_repair zh"), ("system", "semantic_guard zh")]


async def test_what_a_model_wrote_is_released_without_acting_characters():
    # C6.4; quotes stay as they were checked
    line = "bad \x1b[31mline here"
    held = snapshot(record("a", evidence=[{"id": "e1", "source": "s", "text": line}]))
    claims = [{"statement": " s\u202e ", "citations": [citation(quote=line)]}]
    text = draft_text(" x\x1b \n", analysis=claims, next_steps=["n\x00"])
    release, _, _ = await run(case(text, held), SUPPORTED)
    assert release["conclusion"] == "x\\x1b"
    assert release["analysis"][0]["statement"] == "s\\u202e"
    assert release["analysis"][0]["citations"][0]["quote"] == line
    assert release["next_steps"] == ["n\\x00"]
