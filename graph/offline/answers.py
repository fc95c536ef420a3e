"""What each component says, by rule: a draft, a verdict, a mended draft, a kind of question."""

import re
from collections import Counter
from typing import Any

from graph.offline.findings import Findings, Link
from graph.offline.lexicon import concepts, pattern, words
from graph.offline.question import read_question

_SHOWN = 3
_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/-]*[A-Za-z0-9]|\d")
_EXACT = re.compile(r"[\d_:/-]|[a-z][A-Z]|^[A-Z]{3,}$")


def draft(case: Findings) -> dict[str, Any]:
    """A whole draft (`api.md`). Without a bounded query to make, it names what is missing."""
    said = words("answers")["zh" if re.search("[\u4e00-\u9fff]", case.question.text) else "en"]
    question = case.question
    known = (question.ids or question.names, question.start, question.phrases)
    gaps = [gap for gap, stated in zip(said["gaps"], known, strict=True) if not stated]
    told = [(f"{said[link.kind]}: {_told(case, link)}", link) for link in _chosen(case)]
    return {
        "conclusion": "; ".join(dict.fromkeys(statement for statement, _ in told)) or None,
        "analysis": [{"statement": text, "citations": [_citation(link)]} for text, link in told],
        "limitations": {"missing_info": [] if case.bounded or case.seen else gaps, "notes": []},
        "next_steps": [],
    }


def _chosen(case: Findings) -> list[Link]:
    """The strongest cause with the failure it explains, or that failure alone, or nothing."""
    root = case.root or next((f for f in case.deepest if f.rank > 1), None)
    effect = [Link("row" if root.kind == "row" else "failure", root)] if root else []
    for kind in ("change", "validity", "state", "source"):
        causes = [link for link in case.links if link.kind == kind and link.fact != root][:_SHOWN]
        if causes and (effect or kind == "source"):
            return causes if kind == "source" else causes + effect
    return effect if case.root else []


def _told(case: Findings, link: Link) -> str:
    fact = link.fact
    if link.kind == "source":
        return link.wanted
    if fact.kind == "row":
        return ", ".join(f"{key}={value}" for key, value in fact.row.items() if value is not None)
    return f"{case.service(fact)} “{fact.said(link.wanted)}”"


def _citation(link: Link) -> dict[str, str]:
    quote = link.fact.quote(link.wanted)
    return {"tool_call_id": link.fact.call, "evidence_id": link.fact.id, "quote": quote}


def route(text: str) -> dict[str, Any]:
    """Out of scope when a piece of writing is wanted, or general knowledge that no fault is in."""
    fault = pattern("symptom").search(text) or pattern("failure").search(text) or concepts(text)
    general = pattern("general").search(text) and not (fault or read_question(text).bounded)
    wanted = not general and not pattern("chore").search(text)
    return {"intent": "DIAGNOSIS" if wanted else "OUT_OF_SCOPE"}


def judge(data: dict[str, Any]) -> dict[str, Any]:
    """Supported when factual evidence states a fault and every name and cause concluded."""
    factual = [one for one in data["evidence"] if one["factual"]]
    texts = [str(one["text"]) for one in factual]
    stated = " ".join([*texts, *(str(one["source"]) for one in factual)])
    conclusion, question = str(data["conclusion"]), str(data.get("question", ""))
    claimed, changed = concepts(conclusion), pattern("change").search(stated)
    tokens = (token.lower() for token in _TOKEN.findall(conclusion) if _EXACT.search(token))
    repeated = "unreachable" in claimed and claimed - {"slow"} <= concepts(question)
    found = {
        "no factual evidence": not texts,
        "no fault in the evidence": not (pattern("failure").search(stated) or changed),
        "only passed on": bool(texts) and all(map(pattern("passed_on").search, texts)),
        "names not in the evidence": any(t not in f"{stated} {question}".lower() for t in tokens),
        "causes not in the evidence": bool(claimed - concepts(stated) - _inferred(texts)),
        "only restates the question": repeated and not changed,
    }
    reasons = [reason for reason, holds in found.items() if holds]
    return {"supported": not reasons, "reasons": reasons}


def _inferred(texts: list[str]) -> set[str]:
    """Guessing may be inferred from repeated failed logins that come from one address."""
    logins = [set(pattern("address").findall(text)) for text in texts if "login" in concepts(text)]
    counted = Counter(address for found in logins for address in found)
    return {"guessing"} if any(count >= _SHOWN for count in counted.values()) else set()


def mend(data: dict[str, Any]) -> dict[str, Any]:
    """The draft with its true citations only; without any, its conclusion is withdrawn."""
    texts = {(one["tool_call_id"], one["evidence_id"]): one["text"] for one in data["evidence"]}
    draft, analysis = data["draft"], []
    for claim in draft["analysis"]:
        cited = [((c["tool_call_id"], c["evidence_id"]), c) for c in claim["citations"]]
        true = [c for place, c in cited if c["quote"] and c["quote"] in texts.get(place, "")]
        analysis += [{**claim, "citations": true}] if true else []
    conclusion = draft["conclusion"] if analysis else None
    return {**draft, "analysis": analysis, "conclusion": conclusion}
