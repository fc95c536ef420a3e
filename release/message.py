"""The public message of a release, as Markdown: one for every outcome (C1.6), laid out for reading.

Everything that came from a model or a source is data here and rendered inert (`release.markdown`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import assert_never

from release.decision import NO_VALID_DRAFT
from release.markdown import bullets, code, fenced, inline, paragraphs
from release.refusals import alert_refusals
from release.released import Release, ReleasedCitation
from release.vocabulary import (
    FallbackType,
    Language,
    QuestionRefusal,
    ReleaseOutcome,
    StopReason,
)
from release.wording import WORDINGS


@dataclass(frozen=True, slots=True)
class Headings:
    """The fixed words of a message in one language."""

    conclusion: str
    proof: str
    quoted_from: str
    checked: str
    sources: str
    limitations: str
    next_steps: str
    suggestions: str
    failed: str
    failed_because: str
    failed_reasons: Mapping[str, str]
    cancelled: str
    cancelled_because: str
    checked_before: str
    fallback: Mapping[FallbackType, str]


HEADINGS: Mapping[Language, Headings] = MappingProxyType(
    {
        "zh": Headings(
            conclusion="结论",
            proof="依据",
            quoted_from="引自 {source}（{ids}）",
            checked="已检查的内容",
            sources="来源",
            limitations="局限",
            next_steps="下一步（建议）",
            suggestions="后续建议（未经核实）",
            failed="排查未能完成",
            failed_because="技术故障中断了本次排查，错误代码 {code}。这与故障本身的证据无关。",
            failed_reasons=MappingProxyType(
                {
                    QuestionRefusal.QUESTION_MISSING: "没有收到新的问题。请描述故障后再次提问。",
                    QuestionRefusal.QUESTION_EMPTY: "问题是空的。请描述故障后再次提问。",
                    QuestionRefusal.QUESTION_TOO_LONG: "问题太长。请缩短到 16 KB 以内后再次提问。",
                    **alert_refusals("zh"),
                    NO_VALID_DRAFT: "模型没有给出可用的回答，也没有取得查询结果。请稍后再试。",
                }
            ),
            cancelled="排查已取消",
            cancelled_because="本次排查在得出结果之前被取消。",
            checked_before="中断之前已核实",
            fallback=MappingProxyType(
                {
                    FallbackType.INSUFFICIENT_EVIDENCE: "证据不足，没有给出根因",
                    FallbackType.MISSING_REQUIRED_CONTEXT: "需要补充信息才能排查",
                    FallbackType.OUT_OF_SCOPE: "这不是故障诊断问题",
                }
            ),
        ),
        "en": Headings(
            conclusion="Conclusion",
            proof="Evidence",
            quoted_from="Quoted from {source} ({ids})",
            checked="What was checked",
            sources="Sources",
            limitations="Limits",
            next_steps="Next steps (suggestions)",
            suggestions="Suggestions (not verified)",
            failed="The diagnosis could not be completed",
            failed_because=(
                "A technical failure ended this diagnosis, error code {code}. "
                "That says nothing about the evidence."
            ),
            failed_reasons=MappingProxyType(
                {
                    QuestionRefusal.QUESTION_MISSING: (
                        "There was no new question. Please describe the fault and ask again."
                    ),
                    QuestionRefusal.QUESTION_EMPTY: (
                        "The question was empty. Please describe the fault and ask again."
                    ),
                    QuestionRefusal.QUESTION_TOO_LONG: (
                        "The question was too long. Please keep it within 16 KB and ask again."
                    ),
                    **alert_refusals("en"),
                    NO_VALID_DRAFT: (
                        "The model gave no usable answer and no query brought a result. "
                        "Please ask again later."
                    ),
                }
            ),
            cancelled="The diagnosis was cancelled",
            cancelled_because="This diagnosis was cancelled before it had a result.",
            checked_before="Verified before it ended",
            fallback=MappingProxyType(
                {
                    FallbackType.INSUFFICIENT_EVIDENCE: "Not enough evidence for a root cause",
                    FallbackType.MISSING_REQUIRED_CONTEXT: "More information is needed",
                    FallbackType.OUT_OF_SCOPE: "Not a diagnosis question",
                }
            ),
        ),
    }
)


def render_message(release: Release, language: Language) -> str:
    """Markdown for the chat; sections without content are left out."""
    words = HEADINGS[language]
    match ReleaseOutcome(release["outcome"]):
        case ReleaseOutcome.SUCCESS:
            parts = _success(release, words)
        case ReleaseOutcome.FALLBACK:
            parts = _fallback(release, words)
        case ReleaseOutcome.FAILED:
            parts = _ended(release, words.failed, _failure(release, language), words)
        case ReleaseOutcome.CANCELLED:
            parts = _ended(release, words.cancelled, words.cancelled_because, words)
        case unreachable:
            assert_never(unreachable)
    return "\n\n".join(parts)


def _success(release: Release, words: Headings) -> Iterator[str]:
    yield f"## {words.conclusion}"
    yield paragraphs(release["conclusion"] or "")
    yield f"### {words.proof}"
    for number, claim in enumerate(release["analysis"], start=1):
        yield f"**{number}.** {inline(claim['statement'])}"
        for citation in claim["citations"]:
            yield _origin(citation, words)
            yield fenced(citation["quote"])
    yield from _section(words.checked, [inline(fact) for fact in release["observed_facts"]])
    yield from _section(words.suggestions, [inline(step) for step in release["next_steps"]])


def _origin(citation: ReleasedCitation, words: Headings) -> str:
    ids = f"{code(citation['tool_call_id'])} {code(citation['evidence_id'])}"
    return words.quoted_from.format(source=code(citation["source"]), ids=ids)


def _fallback(release: Release, words: Headings) -> Iterator[str]:
    fallback = release["fallback"]
    if fallback is None:
        return
    yield f"## {words.fallback[FallbackType(fallback['type'])]}"
    yield from _section(words.checked, [inline(fact) for fact in fallback["observed_facts"]])
    yield from _section(words.sources, [code(source) for source in fallback["verified_sources"]])
    yield from _section(words.limitations, [inline(line) for line in fallback["limitations"]])
    yield from _section(words.next_steps, [inline(step) for step in fallback["next_steps"]])


def _ended(release: Release, title: str, reason: str, words: Headings) -> Iterator[str]:
    yield f"## {title}"
    yield reason
    yield from _section(words.checked_before, [inline(fact) for fact in release["observed_facts"]])


def _failure(release: Release, language: Language) -> str:
    """Why it failed: in words where the reason is known, else as a technical failure; then why
    collection had been stopped, where it had."""
    words = HEADINGS[language]
    named = release["error_code"] or "-"
    general = words.failed_because.format(code=code(named))
    reason = words.failed_reasons.get(named, general)
    if release["stop_reason"] is None:
        return reason
    return f"{reason}\n\n{WORDINGS[language].stop[StopReason(release['stop_reason'])]}"


def _section(heading: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield f"### {heading}"
        yield bullets(lines)
