"""Router, semantic guard and repair by rule: a guard that lets anything through is none."""

import json
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from graph.offline import offline_models

LINE = "2031-05-02T09:00:01Z ERROR stock-service lost stock-db:5432: connection refused"
AUDIT = '{"flag_key": "engine_v3", "old_value": 0, "new_value": 1, "changed_at": "2031-05-02"}'


def judged(conclusion: str, *texts: str, factual: bool = True, question: str = "Why?") -> Any:
    evidence = [
        {"tool_call_id": "c1", "evidence_id": f"e{n}", "factual": factual, "source": "a", "text": t}
        for n, t in enumerate(texts, 1)
    ]
    claims = [
        {
            "statement": conclusion,
            "citations": [{"tool_call_id": "c1", "evidence_id": "e1", "quote": texts[0][:20]}],
        }
    ]
    data = {"question": question, "conclusion": conclusion, "claims": claims, "evidence": evidence}
    guard = offline_models().semantic_guard
    assert guard is not None
    return json.loads(guard.invoke([HumanMessage(json.dumps(data))]).text)


def test_a_conclusion_that_the_evidence_states_passes() -> None:
    assert judged("stock-service lost stock-db:5432, connection refused", LINE)["supported"] is True


@pytest.mark.parametrize(
    "conclusion",
    [
        "stock-db ran out of memory",
        "the disk of stock-db was full",
        "stock-db:5433 refused the connection",
        "a deployment of stock-service 4.18.0 broke it",
        "主库磁盘写满",
        "ORDER_LOCKED in stock-service",
        "cart-service deleted the table",
    ],
)
def test_true_quotes_do_not_carry_another_conclusion(conclusion: str) -> None:
    assert judged(conclusion, LINE)["supported"] is False


def test_knowledge_alone_never_passes() -> None:  # C6.2
    assert judged("stock-service lost stock-db:5432", LINE, factual=False)["supported"] is False


def test_lines_without_a_fault_never_pass() -> None:
    assert judged("cart-7 is the cause", "2031-05-02 INFO cart-7 healthy")["supported"] is False


def test_a_failure_passed_on_is_no_root_cause() -> None:
    line = "shop-front failed: cart-service returned 503"
    assert judged("cart-service returned 503", line)["reasons"] == ["only passed on"]


def test_saying_the_question_again_is_no_cause() -> None:
    question = "Why can stock-service not connect to its database?"
    assert judged("connection refused", LINE, question=question)["supported"] is False


def test_a_change_with_its_names_passes() -> None:
    text = f"{AUDIT} total differs: engine_v3 error"
    assert judged("engine_v3 changed on 2031-05-02", text)["supported"] is True


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("诊断切换企业失败的问题", "DIAGNOSIS"),
        ("Get me logs for the last 30 minutes", "DIAGNOSIS"),
        ("What happened in cart-service on 2031-05-02 at 09:00?", "DIAGNOSIS"),
        ("The nightly batch died again", "DIAGNOSIS"),
        ("缓存命中率下降了，帮忙看下", "DIAGNOSIS"),
        ("What is the error rate of cart-service?", "DIAGNOSIS"),
        ("帮我写一首关于春天的诗", "OUT_OF_SCOPE"),
        ("Write a script that sorts a list", "OUT_OF_SCOPE"),
        ("Translate 'error' to German", "OUT_OF_SCOPE"),
        ("What is the capital of France?", "OUT_OF_SCOPE"),
        ("你好", "OUT_OF_SCOPE"),
    ],
)
def test_router(question: str, intent: str) -> None:
    router = offline_models().router
    assert router is not None
    assert json.loads(router.invoke([HumanMessage(question)]).text) == {"intent": intent}


def test_a_draft_whose_citations_do_not_hold_is_withdrawn() -> None:
    draft = {"conclusion": "x", "analysis": [{"statement": "x", "citations": []}], "next_steps": []}
    repair = offline_models().evidence_repair
    assert repair is not None
    data = json.dumps({"draft": draft, "evidence": [], "problems": []})
    mended = json.loads(repair.invoke([HumanMessage(data)]).text)
    assert mended == {"conclusion": None, "analysis": [], "next_steps": []}
