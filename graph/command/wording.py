"""One sentence a kind of trace event, once a language; braces name the event's own fields.

A key is the event's type, and behind the point what tells its kinds apart (`narration`).
"""

from collections.abc import Mapping
from types import MappingProxyType

from prompts import Language

EN: Mapping[str, str] = MappingProxyType(
    {
        "RUN_STARTED": "the run starts (prompts {prompt_version})",
        "ROUTING_ATTEMPT": "is this a diagnosis question?",
        "ROUTING_DECISION.DIAGNOSIS": "a diagnosis question: goes on",
        "ROUTING_DECISION.OUT_OF_SCOPE": "not a diagnosis question: goes to release",
        "ROUTING_DECISION.UNREADABLE": "the router's answer is unreadable: taken as a diagnosis",
        "MODEL_TOKEN_USAGE": (
            "{component} call {component_round}: {input_tokens} tokens in, {output_tokens} out,"
            " {cached_tokens} cached"
        ),
        "MODEL_TOKEN_USAGE.UNAVAILABLE": (
            "{component} call {component_round}: the provider reported no tokens"
        ),
        "MODEL_RETRY": "{component} attempt {attempt} failed ({error_code}): tries again",
        "AGENT_MODEL_STEP.TOOL_CALLS": "round {round}: the model asks, queries: {tool_calls}",
        "AGENT_MODEL_STEP.DRAFT": "round {round}: the model writes its draft",
        "AGENT_MODEL_STEP.EMPTY": "round {round}: the model says nothing",
        "TOOL_REQUEST_REJECTED.INVALID_PROGRESS_PROTOCOL": (
            "{tool} refused ({violation_type}, {consecutive_protocol_violations} in a row):"
            " the model is told how to ask"
        ),
        "TOOL_REQUEST_REJECTED.DUPLICATE_SCOPE": "{tool} refused: this scope was checked already",
        "TOOL_REQUEST_REJECTED.NOT_EXECUTED": "{tool} not executed: an earlier call comes first",
        "TOOL_REQUEST_REJECTED.STOP_REQUIRED": "{tool} refused: collection has to stop{violation}",
        "TOOL_REQUEST_REJECTED.BUDGET_LIMIT_REACHED": "{tool} refused: the budget is spent",
        "TOOL_INVOCATION.EVIDENCE_FOUND": (
            "{tool}: evidence found, pieces: {items}, {bytes} bytes, {duration_ms} ms{notes}"
        ),
        "TOOL_INVOCATION.NO_EVIDENCE": "{tool}: nothing found, {duration_ms} ms{notes}",
        "TOOL_INVOCATION.ERROR": "{tool}: failed ({error_code}), {duration_ms} ms{notes}",
        "TOOL_TAKEN_OVER": "a query that another process left unfinished is taken over",
        "RUN_RESUMED": "the run is taken up where it broke off",
        "INFORMATION_GAIN.GAINED": "the last result brought something new: goes on",
        "INFORMATION_GAIN.NO_GAIN.MODEL": (
            "the last result brought nothing new ({consecutive_no_gain} in a row){saturated}"
        ),
        "INFORMATION_GAIN.NO_GAIN.HARNESS": (
            "an empty or repeated query brings nothing new ({consecutive_no_gain} in a row)"
            "{saturated}"
        ),
        "STOP_REQUIRED": "the model is told to stop ({reason}) and may write its draft",
        "COLLECTION_STOPPED": "collection was stopped: {stop_reason}",
        "EVIDENCE_GUARD_INITIAL.PASSED": "evidence guard: the draft keeps the rules",
        "EVIDENCE_GUARD_INITIAL.REFUSED": "evidence guard: the draft fails ({codes})",
        "EVIDENCE_GUARD_FINAL.PASSED": "evidence guard: the repaired draft holds",
        "EVIDENCE_GUARD_FINAL.REFUSED": "evidence guard: the repaired draft fails ({codes})",
        "EVIDENCE_REPAIR": "the draft was repaired once",
        "EVIDENCE_REPAIR.UNREADABLE": "the repair is unreadable",
        "SEMANTIC_GUARD.SUPPORTED": "semantic guard: the conclusion is supported",
        "SEMANTIC_GUARD.UNSUPPORTED": "semantic guard: the conclusion is not supported",
        "SEMANTIC_GUARD.UNREADABLE": "semantic guard: unreadable, so not supported",
        "RELEASE_DECISION": "released as {outcome}{codes}, verified facts: {facts}",
        "RUN_FINISHED": (
            "{outcome}: {total_tokens:,} tokens, queries: {tool_invocations},"
            " refused: {rejected_requests}{stop}{audit}"
        ),
        "note.truncated": ", truncated",
        "note.reused": ", from the record",
        "note.saturated": ": collection stops",
        "note.reconciled": ", every token accounted for",
        "note.unreconciled": ", tokens not fully reported",
        "live.start": "reading the question",
        "live.asks": "round {round}: the model asks {tools}",
        "live.model": "the model thinks",
        "live.checking": "checking {tools}",
        "live.judging": "judging the draft",
        "live.cancelling": "cancelling; once more Ctrl-C leaves at once",
        "live.tokens": "{tokens} tokens",
        "live.closed": "the session's unfinished run {run_id} was closed as CANCELLED",
        "live.session": "to go on:  diagnose --session {session_id}{options} ...",
        "live.trace": "its trace: diagnose trace {run_id}{options}",
    }
)

ZH: Mapping[str, str] = MappingProxyType(
    {
        "RUN_STARTED": "开始排查（提示词版本 {prompt_version}）",
        "ROUTING_ATTEMPT": "判断是否为故障诊断问题",
        "ROUTING_DECISION.DIAGNOSIS": "是故障诊断问题：继续",
        "ROUTING_DECISION.OUT_OF_SCOPE": "不是故障诊断问题：直接给出结果",
        "ROUTING_DECISION.UNREADABLE": "路由回答无法识别：按故障诊断处理",
        "MODEL_TOKEN_USAGE": (
            "{component} 第 {component_round} 次：输入 {input_tokens} token，输出 {output_tokens}，"
            "缓存 {cached_tokens}"
        ),
        "MODEL_TOKEN_USAGE.UNAVAILABLE": "{component} 第 {component_round} 次：服务方未报告用量",
        "MODEL_RETRY": "{component} 第 {attempt} 次调用失败（{error_code}）：重试",
        "AGENT_MODEL_STEP.TOOL_CALLS": "第 {round} 轮：模型请求 {tool_calls} 项查询",
        "AGENT_MODEL_STEP.DRAFT": "第 {round} 轮：模型给出草稿",
        "AGENT_MODEL_STEP.EMPTY": "第 {round} 轮：模型没有作答",
        "TOOL_REQUEST_REJECTED.INVALID_PROGRESS_PROTOCOL": (
            "{tool} 被拒绝（{violation_type}，连续 {consecutive_protocol_violations} 次）："
            "已告知模型如何改正"
        ),
        "TOOL_REQUEST_REJECTED.DUPLICATE_SCOPE": "{tool} 被拒绝：相同范围已经查过",
        "TOOL_REQUEST_REJECTED.NOT_EXECUTED": "{tool} 未执行：同一消息中前面的请求优先",
        "TOOL_REQUEST_REJECTED.STOP_REQUIRED": "{tool} 被拒绝：必须停止收集{violation}",
        "TOOL_REQUEST_REJECTED.BUDGET_LIMIT_REACHED": "{tool} 被拒绝：资源已用完",
        "TOOL_INVOCATION.EVIDENCE_FOUND": (
            "{tool}：{items} 条证据，{bytes} 字节，{duration_ms} 毫秒{notes}"
        ),
        "TOOL_INVOCATION.NO_EVIDENCE": "{tool}：没有匹配的内容，{duration_ms} 毫秒{notes}",
        "TOOL_INVOCATION.ERROR": "{tool}：未能查询（{error_code}），{duration_ms} 毫秒{notes}",
        "TOOL_TAKEN_OVER": "接手另一进程未完成的查询",
        "RUN_RESUMED": "从中断处继续",
        "INFORMATION_GAIN.GAINED": "上一结果带来新信息：继续",
        "INFORMATION_GAIN.NO_GAIN.MODEL": (
            "上一结果没有新信息（连续 {consecutive_no_gain} 次）{saturated}"
        ),
        "INFORMATION_GAIN.NO_GAIN.HARNESS": (
            "空结果或重复查询，没有新信息（连续 {consecutive_no_gain} 次）{saturated}"
        ),
        "STOP_REQUIRED": "已要求模型停止（{reason}），可以给出草稿",
        "COLLECTION_STOPPED": "收集已停止：{stop_reason}",
        "EVIDENCE_GUARD_INITIAL.PASSED": "证据检查：草稿符合规则",
        "EVIDENCE_GUARD_INITIAL.REFUSED": "证据检查：草稿不成立（{codes}）",
        "EVIDENCE_GUARD_FINAL.PASSED": "证据检查：修正后的草稿成立",
        "EVIDENCE_GUARD_FINAL.REFUSED": "证据检查：修正后的草稿仍不成立（{codes}）",
        "EVIDENCE_REPAIR": "草稿已修正一次",
        "EVIDENCE_REPAIR.UNREADABLE": "修正结果无法识别",
        "SEMANTIC_GUARD.SUPPORTED": "语义检查：证据支持结论",
        "SEMANTIC_GUARD.UNSUPPORTED": "语义检查：证据不支持结论",
        "SEMANTIC_GUARD.UNREADABLE": "语义检查：无法识别，视为不支持",
        "RELEASE_DECISION": "结果为 {outcome}{codes}，已核实事实 {facts} 条",
        "RUN_FINISHED": (
            "{outcome}：{total_tokens:,} token，查询 {tool_invocations} 次，"
            "拒绝 {rejected_requests} 次{stop}{audit}"
        ),
        "note.truncated": "，有截断",
        "note.reused": "，取自已有记录",
        "note.saturated": "：停止收集",
        "note.reconciled": "，token 全部对账",
        "note.unreconciled": "，token 用量未完整报告",
        "live.start": "读取问题",
        "live.asks": "第 {round} 轮：模型请求 {tools}",
        "live.model": "模型思考中",
        "live.checking": "正在查询 {tools}",
        "live.judging": "检查草稿",
        "live.cancelling": "正在取消；再按一次 Ctrl-C 立即退出",
        "live.tokens": "{tokens} token",
        "live.closed": "该会话未完成的运行 {run_id} 已按 CANCELLED 结束",
        "live.session": "继续追问：diagnose --session {session_id}{options} ...",
        "live.trace": "查看过程：diagnose trace {run_id}{options}",
    }
)

SENTENCES: Mapping[Language, Mapping[str, str]] = MappingProxyType({"en": EN, "zh": ZH})
