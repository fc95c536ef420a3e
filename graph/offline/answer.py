"""The final answer: a cause with verbatim quotes where the findings carry one, else null."""

import re
from typing import Any

from graph.offline.findings import Findings, Link
from graph.offline.lexicon import words

_SHOWN = 3


def draft(case: Findings) -> dict[str, Any]:
    """A whole draft (`api.md`). Without a bounded query to make, it names what is missing."""
    language = "zh" if re.search("[\u4e00-\u9fff]", case.question.text) else "en"
    said, question = words("answers")[language], case.question
    known = (question.ids or question.names, question.start, question.phrases)
    gaps = [gap for gap, stated in zip(said["gaps"], known, strict=True) if not stated]
    told = [(f"{said[link.kind]}: {_told(case, link)}", link) for link in _chosen(case, list(said))]
    return {
        "conclusion": "; ".join(dict.fromkeys(statement for statement, _ in told)) or None,
        "analysis": [{"statement": text, "citations": [_citation(link)]} for text, link in told],
        "limitations": {"missing_info": [] if question.bounded or case.seen else gaps, "notes": []},
        "next_steps": [],
    }


def _chosen(case: Findings, kinds: list[str]) -> list[Link]:
    """The strongest cause with the failure it explains, or that failure alone, or nothing."""
    root = case.root or next((f for f in case.deepest if f.rank > 1), None)
    effect = [Link("row" if root.kind == "row" else "failure", root)] if root else []
    for kind in (kind for kind in kinds if kind in ("change", "validity", "state", "source")):
        causes = [link for link in case.links if link.kind == kind and link.fact != root]
        if causes and (effect or kind == "source"):
            return causes[:_SHOWN] + effect * (kind != "source")
    return effect if case.root else []


def _told(case: Findings, link: Link) -> str:
    fact = link.fact
    if link.kind == "source":
        return link.wanted
    if fact.kind == "row":
        return ", ".join(f"{key}={value}" for key, value in fact.row.items() if value is not None)
    return f"{case.service(fact) or fact.source} “{fact.said(link.wanted)}”"


def _citation(link: Link) -> dict[str, str]:
    quote = link.fact.quote(link.wanted)
    return {"tool_call_id": link.fact.call, "evidence_id": link.fact.id, "quote": quote}
