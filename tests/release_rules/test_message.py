"""The public message: one for every outcome, readable, inert whatever stands in it (C1.6, C6.4)."""

import pytest

from release.fallback import build_fallback
from release.message import render_message
from release.released import released_fallback
from release.vocabulary import FallbackType, StopReason
from release.wording import WORDINGS
from tests.release_rules.records import LINE, empty, record, snapshot
from tests.release_rules.rendered import NASTY, active, tokens


def release(outcome, **changes):
    return {
        "outcome": outcome,
        "conclusion": None,
        "analysis": [],
        "fallback": None,
        "error_code": None,
        "stop_reason": None,
        "observed_facts": [],
        "next_steps": [],
        "run_id": "run-1",
        "session_id": "session-1",
        **changes,
    }


def success(text, quote=LINE):
    cited = {"tool_call_id": text, "evidence_id": "e1", "source": text, "quote": quote}
    return release(
        "SUCCESS",
        conclusion=text,
        analysis=[{"statement": text, "citations": [cited]}],
        observed_facts=[text],
        next_steps=[text],
    )


def fallback(*lines):
    kind = "INSUFFICIENT_EVIDENCE"
    lists = ("observed_facts", "verified_sources", "limitations", "next_steps")
    return release("FALLBACK", fallback={"type": kind, **{name: list(lines) for name in lists}})


def headings(markdown):
    found = tokens(markdown)
    return [
        (token.tag, found[index + 1].content)
        for index, token in enumerate(found)
        if token.type == "heading_open"
    ]


def test_success_is_laid_out_for_reading():
    # C1.6, C6.3: suggestions are marked as such
    told = success("令牌过期")
    told["analysis"][0]["citations"][0] |= {"tool_call_id": "call-a", "source": "tenant.log:7"}
    assert render_message(told, "zh") == (
        "## 结论\n\n令牌过期\n\n### 依据\n\n**1.** 令牌过期\n\n"
        "引自 `tenant.log:7`（`call-a` `e1`）\n\n"
        f"```text\n{LINE}\n```\n\n"
        "### 已检查的内容\n\n- 令牌过期\n\n### 后续建议（未经核实）\n\n- 令牌过期"
    )
    english = render_message(told, "en")
    assert headings(english) == [
        ("h2", "Conclusion"),
        ("h3", "Evidence"),
        ("h3", "What was checked"),
        ("h3", "Suggestions (not verified)"),
    ]
    assert "Quoted from `tenant.log:7` (`call-a` `e1`)" in english


def test_fallback_tells_checked_sources_limits_and_next_steps():
    # C6.3
    told = build_fallback(
        FallbackType.INSUFFICIENT_EVIDENCE, snapshot(record("a"), empty("b")), language="en"
    )
    message = render_message(release("FALLBACK", fallback=released_fallback(told)), "en")
    assert message == (
        "## Not enough evidence for a root cause\n\n"
        "### What was checked\n\n"
        "- query_logs (service tenant): 1 found.\n"
        "- query_logs (service tenant): nothing matched in this scope.\n\n"
        "### Sources\n\n- `query_logs: tenant.log:7`\n- `query_logs`\n\n"
        "### Limits\n\n"
        "- The verified evidence does not support a root cause.\n"
        "- Where nothing matched, that holds for the scope queried only and rules nothing out.\n\n"
        "### Next steps (suggestions)\n\n"
        "- Please check the time range, service name and keywords, or try another scope.\n"
        "- Please give a more exact symptom, time or error, and ask again."
    )


@pytest.mark.parametrize(
    ("kind", "chinese", "english"),
    [
        ("INSUFFICIENT_EVIDENCE", "证据不足，没有给出根因", "Not enough evidence for a root cause"),
        ("MISSING_REQUIRED_CONTEXT", "需要补充信息才能排查", "More information is needed"),
        ("OUT_OF_SCOPE", "这不是故障诊断问题", "Not a diagnosis question"),
    ],
)
def test_each_fallback_has_its_title(kind, chinese, english):
    told = fallback("x")
    told["fallback"]["type"] = kind
    assert headings(render_message(told, "zh"))[0] == ("h2", chinese)
    assert headings(render_message(told, "en"))[0] == ("h2", english)


def test_failed_is_worded_as_a_technical_fault_with_its_code():
    # C6: a technical fault is never worded as missing evidence
    told = release("FAILED", error_code="MODEL_UNAVAILABLE", observed_facts=["a fact"])
    assert render_message(told, "en") == (
        "## The diagnosis could not be completed\n\n"
        "A technical failure ended this diagnosis, error code `MODEL_UNAVAILABLE`. "
        "That says nothing about the evidence.\n\n"
        "### Verified before it ended\n\n- a fact"
    )
    assert "错误代码 `MODEL_UNAVAILABLE`" in render_message(told, "zh")
    assert "error code `-`" in render_message(release("FAILED"), "en")


@pytest.mark.parametrize(
    ("error_code", "chinese", "english"),
    [
        ("QUESTION_MISSING", "没有收到新的问题", "There was no new question."),
        ("QUESTION_EMPTY", "问题是空的", "The question was empty."),
        ("QUESTION_TOO_LONG", "16 KB 以内", "within 16 KB"),
        ("NO_VALID_DRAFT", "模型没有给出可用的回答", "The model gave no usable answer"),
    ],
)
def test_failed_says_what_to_do_where_the_reason_is_known(error_code, chinese, english):
    # C1.5: a clear refusal, not a technical fault
    told = release("FAILED", error_code=error_code)
    for language, words in (("zh", chinese), ("en", english)):
        message = render_message(told, language)
        assert words in message
        assert error_code not in message


@pytest.mark.parametrize("reason", StopReason)
@pytest.mark.parametrize("error_code", ["NO_VALID_DRAFT", "MODEL_UNAVAILABLE"])
def test_failed_says_why_collection_was_stopped(error_code, reason):
    # C6, C6.3: beside the reason of the failure, in words
    for language in WORDINGS:
        plain = render_message(release("FAILED", error_code=error_code), language)
        told = release("FAILED", error_code=error_code, stop_reason=str(reason))
        stopped = WORDINGS[language].stop[reason]
        assert render_message(told, language) == f"{plain}\n\n{stopped}"


def test_cancelled_shows_the_facts_so_far():
    # C6
    assert render_message(release("CANCELLED", observed_facts=["某事实"]), "zh") == (
        "## 排查已取消\n\n本次排查在得出结果之前被取消。\n\n### 中断之前已核实\n\n- 某事实"
    )
    assert headings(render_message(release("CANCELLED"), "en")) == [
        ("h2", "The diagnosis was cancelled")
    ]


def test_an_outcome_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="DONE"):
        render_message(release("DONE"), "en")


def test_sections_without_content_are_left_out():
    assert render_message(release("SUCCESS"), "zh") == "## 结论\n\n\n\n### 依据"
    assert headings(render_message(fallback(), "zh")) == [("h2", "证据不足，没有给出根因")]


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_nothing_in_a_message_acts(text, language):
    # C6.4, nasty 15: Markdown images and HTML are not rendered live
    plain = success("x", quote="x")
    for told, calm in ((success(text, quote=text), plain), (fallback(text), fallback("x"))):
        message = render_message(told, language)
        calm_message = render_message(calm, language)
        assert active(message) == active(calm_message)
        assert headings(message) == headings(calm_message)
        assert not set(message) & set("\x1b\x00\r\x9b\u202e")
