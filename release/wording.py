"""Every fixed sentence a user may read, once a language. Braces name what is filled in.

No sentence states a number, a limit or a name of the machinery (C6.4), and none reads an empty
result as the absence of a fault (C6.3).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from release.snapshot import GapKind
from release.vocabulary import Language, StopReason


@dataclass(frozen=True, slots=True)
class Wording:
    """The sentences of one language."""

    # a fact: what was checked, and what came of it
    fact: str
    nothing_found: str
    found: str
    found_of: str
    truncated: str
    reference_only: str
    general_knowledge: str
    # a scope in words
    list_separator: str
    whole_scope: str
    query: str
    service: str
    level: str
    keyword: str
    sql: str
    between: str
    since: str
    until: str
    any_time: str
    asked_zone: str
    zone_unknown: str
    # what limits a result
    stop: Mapping[StopReason, str]
    gap: Mapping[GapKind, str]
    no_support: str
    could_not_check: str
    nothing_checked: str
    out_of_scope: str
    missing: str
    false_citations: str
    empty_results: str
    truncated_results: str
    knowledge_only: str
    # what to do next
    give: str
    give_context: str
    ask_about_fault: str
    other_scope: str
    narrower_scope: str
    restore_source: str
    more_detail: str


ZH = Wording(
    fact="{tool}（{scope}）：{result}。",
    nothing_found="该范围内没有匹配的内容",
    found="找到 {shown} 条",
    found_of="共匹配 {total} 条，取得其中 {shown} 条",
    truncated="内容有截断",
    reference_only="仅为相关度不高的参考资料，不是本次故障的事实",
    general_knowledge="属于通用知识，不是本次故障的事实",
    list_separator="，",
    whole_scope="全部范围",
    query="检索“{}”",
    service="服务 {}",
    level="级别 {}",
    keyword="关键词“{}”",
    sql="SQL：{}",
    between="时间 {start} 至 {end}",
    since="时间 {start} 起",
    until="时间截至 {end}",
    any_time="不限时间",
    asked_zone="提问时区 {}",
    zone_unknown="未注明时区",
    stop=MappingProxyType(
        {
            StopReason.INFORMATION_SATURATED: "继续查询已经得不到新的信息，因此停止收集。",
            StopReason.PROGRESS_PROTOCOL_VIOLATED: "查询请求屡次不符合约定格式，因此停止收集。",
            StopReason.BUDGET_LIMIT_REACHED: "本次排查可用的资源已用完，收集没有做完。",
        }
    ),
    gap=MappingProxyType(
        {
            GapKind.SOURCE_FAILED: "{tool} 未能查询（错误代码 {code}），这一来源的情况未知。",
            GapKind.UNFINISHED: "{tool} 的一次查询没有完成，结果未计入。",
            GapKind.UNREADABLE: "有一次查询的记录现在无法读取，未计入事实。",
            GapKind.NOT_LISTED: "查询较多，后面的没有逐条列出。",
        }
    ),
    no_support="已核实的证据不足以支持根因结论。",
    could_not_check="结论未能得到检查，因此没有给出；这不说明证据是否充分。请稍后再次提问。",
    nothing_checked="本次没有取得任何查询结果。",
    out_of_scope="这个问题不属于故障诊断，没有进行查询。",
    missing="缺少信息：{}",
    false_citations="部分引用与查询结果不符，已剔除。",
    empty_results="没有匹配只说明所查范围，不能据此判断问题是否发生。",
    truncated_results="部分结果有截断，未显示的内容没有检查。",
    knowledge_only="只找到通用知识，没有本次故障的事实，不能支持根因。",
    give="请补充：{}",
    give_context="请补充企业或租户、时间范围、服务和报错内容后再次提问。",
    ask_about_fault="请描述具体的故障现象，例如服务、时间和报错。",
    other_scope="请核对时间范围、服务名和关键词，或换一个范围再查。",
    narrower_scope="请缩小时间范围或增加条件，以便看到完整的结果。",
    restore_source="请确认 {tool} 的数据来源可用后再次提问。",
    more_detail="请提供更具体的现象、时间或报错后再次提问。",
)

EN = Wording(
    fact="{tool} ({scope}): {result}.",
    nothing_found="nothing matched in this scope",
    found="{shown} found",
    found_of="{shown} of {total} matches retrieved",
    truncated="content was truncated",
    reference_only="loosely related reference material, not a fact of this incident",
    general_knowledge="general knowledge, not a fact of this incident",
    list_separator=", ",
    whole_scope="everything",
    query='search "{}"',
    service="service {}",
    level="level {}",
    keyword='keyword "{}"',
    sql="SQL: {}",
    between="time {start} to {end}",
    since="time from {start}",
    until="time until {end}",
    any_time="any time",
    asked_zone="asked in time zone {}",
    zone_unknown="time zone not stated",
    stop=MappingProxyType(
        {
            StopReason.INFORMATION_SATURATED: (
                "Further queries brought nothing new, so collection was stopped."
            ),
            StopReason.PROGRESS_PROTOCOL_VIOLATED: (
                "The queries repeatedly broke the agreed format, so collection was stopped."
            ),
            StopReason.BUDGET_LIMIT_REACHED: (
                "The resources for this diagnosis were used up before collection was complete."
            ),
        }
    ),
    gap=MappingProxyType(
        {
            GapKind.SOURCE_FAILED: (
                "{tool} could not be asked (error code {code}); what this source holds is unknown."
            ),
            GapKind.UNFINISHED: "A query of {tool} did not finish; its result does not count.",
            GapKind.UNREADABLE: (
                "The record of a query cannot be read now; it does not count as a fact."
            ),
            GapKind.NOT_LISTED: "There were more queries; the later ones are not listed.",
        }
    ),
    no_support="The verified evidence does not support a root cause.",
    could_not_check=(
        "The conclusion could not be checked, so it is not given; that says nothing about the "
        "evidence. Please ask again later."
    ),
    nothing_checked="No query brought a result in this run.",
    out_of_scope="The question is not about diagnosing an incident, so nothing was queried.",
    missing="Missing: {}",
    false_citations="Some citations did not match the results and were dropped.",
    empty_results=(
        "Where nothing matched, that holds for the scope queried only and rules nothing out."
    ),
    truncated_results="Some results were truncated; what was not shown was not examined.",
    knowledge_only=(
        "Only general knowledge was found, no fact of this incident; it cannot support a cause."
    ),
    give="Please provide: {}",
    give_context=(
        "Please give the company or tenant, time range, service and error text, and ask again."
    ),
    ask_about_fault="Please describe a concrete fault: the service, the time, the error.",
    other_scope="Please check the time range, service name and keywords, or try another scope.",
    narrower_scope="Please narrow the time range or add conditions so that results are complete.",
    restore_source="Please make sure that the source behind {tool} is available, and ask again.",
    more_detail="Please give a more exact symptom, time or error, and ask again.",
)

WORDINGS: Mapping[Language, Wording] = MappingProxyType({"zh": ZH, "en": EN})
