"""A conversation with the rules agent by hand: its calls answered with hand-made observations."""

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from graph.offline import offline_models

LOG_FIELDS = ("service", "start", "end", "timezone", "level", "keyword", "limit")
SERVICES = (
    "Log files. Services by days covered: 2031-05-02: shop-front, cart-service, stock-service; no"
    " year: gatekeeper 05-01 to 05-02, kernel 05-02 (+60); files, also usable as service: shop."
)
TABLES = (
    "One SELECT. Tables: orders(order_id, tenant_id, voucher_code, status, created_at),"
    " payments(payment_id, order_id, status, error_code, error_message, created_at),"
    " flag_audit(id, tenant_id, flag_key, old_value, new_value, changed_at, changed_by),"
    " vouchers(code, valid_from, valid_until), refunds(refund_id, order_id, status, reason)."
)
ASKED = "[asked at 2031-05-03T09:00:00+00:00, time zone UTC]"
Evidence = tuple[str, str]


def function(name: str, description: str, fields: Sequence[str]) -> dict[str, Any]:
    """A tool's schema as the graph binds it; its name means nothing to the model."""
    inner = {"type": "object", "properties": {field: {} for field in fields}}
    outer = {"type": "object", "properties": {"previous_observation": {}, "input": inner}}
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": outer},
    }


LOGS = function("read_lines", SERVICES, LOG_FIELDS)
ROWS = function("read_rows", TABLES, ("sql", "limit"))
TEXTS = function("read_texts", "Runbooks.", ("query", "limit"))


class Conversation:
    """Asks the agent round by round; the caller plays the tools."""

    def __init__(self, question: str, *tools: dict[str, Any]) -> None:
        self._agent = offline_models().agent.bind_tools(list(tools or (LOGS, ROWS, TEXTS)))
        turn = HumanMessage(f"{question}\n\n{ASKED}")
        self._messages: list[BaseMessage] = [SystemMessage("rules"), turn]
        self.said: AIMessage = self._ask()

    def _ask(self) -> AIMessage:
        reply = self._agent.invoke(self._messages)
        self._messages.append(reply)
        return reply

    @property
    def call(self) -> dict[str, Any]:
        """The one call of the last reply."""
        (call,) = self.said.tool_calls
        return dict(call)

    @property
    def asked(self) -> dict[str, Any]:
        """The business input of the last call."""
        asked: dict[str, Any] = self.call["args"]["input"]
        return asked

    @property
    def gain(self) -> str | None:
        """How the last call judged the observation before it."""
        judged = self.call["args"].get("previous_observation")
        return str(judged["information_gain"]) if judged else None

    @property
    def draft(self) -> dict[str, Any]:
        """The last reply as a draft."""
        assert not self.said.tool_calls
        draft: dict[str, Any] = json.loads(self.said.text)
        return draft

    def answer(self, *evidence: Evidence, stop: bool = False, **fields: Any) -> None:
        """Play the tool that was asked, with (source, text) pairs; none is an empty result."""
        known = {"sql": ("sql",), "query": ("query",)}
        kind = next((fields for key, fields in known.items() if key in self.asked), LOG_FIELDS)
        items = [{"id": f"e{n}", "source": s, "text": t} for n, (s, t) in enumerate(evidence, 1)]
        body = {
            "status": "READY",
            "tool_call_id": self.call["id"],
            "scope": {field: self.asked.get(field) for field in kind},
            "evidence_status": "EVIDENCE_FOUND" if items else "NO_EVIDENCE",
            "evidence": items,
            "truncated": False,
            **fields,
        }
        if stop:
            body["stop_required"] = {"reason": "INFORMATION_SATURATED"}
        self._reply_with(body)

    def refuse(self) -> None:
        """The gate's answer when the last evaluation saturated the run."""
        stop = {"reason": "INFORMATION_SATURATED"}
        body = {"status": "REJECTED", "error_code": "STOP_REQUIRED", "stop_required": stop}
        self._reply_with({**body, "tool_call_id": self.call["id"]})

    def _reply_with(self, body: dict[str, Any]) -> None:
        content = json.dumps(body, ensure_ascii=False)
        call = self.call
        self._messages.append(ToolMessage(content, tool_call_id=call["id"], name=call["name"]))
        self.said = self._ask()


def event(service: str, time: str, level: str, message: str) -> Evidence:
    """One line of a JSON log."""
    line = {"timestamp": time, "level": level, "service": service, "message": message}
    return f"{service}.jsonl:{time[-3:-1]}", json.dumps(line)


def row(table: str, **columns: Any) -> Evidence:
    """One row of a database."""
    return f"shop: {table}", json.dumps(columns)
