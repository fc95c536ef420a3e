"""The other components by rule: is it about a fault, does the evidence carry it, mend citations."""

import re
from collections import Counter
from typing import Any

from graph.offline.lexicon import concepts, pattern

_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/-]*[A-Za-z0-9]|\d")
_EXACT = re.compile(r"[\d_:/-]|[a-z][A-Z]|^[A-Z]{3,}$")


def route(text: str) -> dict[str, Any]:
    """Out of scope when nothing in the text speaks of a fault, or a piece of writing is wanted."""
    fault = pattern("symptom").search(text) or pattern("failure").search(text)
    wanted = fault and not pattern("chore").search(text)
    return {"intent": "DIAGNOSIS" if wanted else "OUT_OF_SCOPE"}


def judge(data: dict[str, Any]) -> dict[str, Any]:
    """Supported when factual evidence states a fault and every name and cause concluded."""
    factual = [one for one in data["evidence"] if one["factual"]]
    texts = [str(one["text"]) for one in factual]
    stated = " ".join([*texts, *(str(one["source"]) for one in factual)])
    conclusion, question = str(data["conclusion"]), str(data.get("question", ""))
    claimed, changed = concepts(conclusion), pattern("change").search(stated)
    tokens = {token for token in _TOKEN.findall(conclusion) if _EXACT.search(token)}
    repeated = "unreachable" in claimed and claimed - {"slow"} <= concepts(question)
    found = {
        "no factual evidence": not texts,
        "no fault in the evidence": not (pattern("failure").search(stated) or changed),
        "only passed on": bool(texts) and all(pattern("passed_on").search(text) for text in texts),
        "names not in the evidence": any(
            t.lower() not in f"{stated} {question}".lower() for t in tokens
        ),
        "causes not in the evidence": bool(claimed - concepts(stated) - _inferred(texts)),
        "only restates the question": repeated and not changed,
    }
    reasons = [reason for reason, holds in found.items() if holds]
    return {"supported": not reasons, "reasons": reasons}


def _inferred(texts: list[str]) -> set[str]:
    """Guessing may be inferred from repeated failed logins that come from one address."""
    logins = [set(pattern("address").findall(text)) for text in texts if "login" in concepts(text)]
    counted = Counter(address for found in logins for address in found)
    return {"guessing"} if any(count >= 3 for count in counted.values()) else set()


def mend(data: dict[str, Any]) -> dict[str, Any]:
    """The draft with its true citations only; without any, its conclusion is withdrawn."""
    texts = {(one["tool_call_id"], one["evidence_id"]): one["text"] for one in data["evidence"]}
    claims = data["draft"]["analysis"]
    for claim in claims:
        places = (
            (one, texts.get((one["tool_call_id"], one["evidence_id"]), ""))
            for one in claim["citations"]
        )
        claim["citations"] = [one for one, text in places if one["quote"] and one["quote"] in text]
    analysis = [claim for claim in claims if claim["citations"]]
    return {
        **data["draft"],
        "analysis": analysis,
        "conclusion": data["draft"]["conclusion"] if analysis else None,
    }
