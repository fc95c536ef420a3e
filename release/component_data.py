"""Evidence as repair and guard are shown it: bounded JSON data, ids and origin beside each text."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from release.draft import DiagnosisDraft
from release.evidence_guard import cited_evidence
from release.plain_text import cut_to_bytes, without_lone_surrogates
from release.snapshot import ProgressSnapshot
from tools.invocations import EvidenceItem, InvocationRecord

Message = tuple[str, str]
"""A role, `system` or `human`, and its text."""

MAX_EVIDENCE_BYTES = 49_152


def component_messages(instructions: str, data: dict[str, Any]) -> list[Message]:
    """One system and one human message; the human one is a JSON object and nothing else."""
    content = json.dumps(data, ensure_ascii=False)
    return [("system", instructions), ("human", without_lone_surrogates(content))]


def cited_items(
    draft: DiagnosisDraft, snapshot: ProgressSnapshot
) -> Iterator[tuple[InvocationRecord, EvidenceItem]]:
    """What the draft's citations name and this run holds, in the draft's order, each once."""
    seen: set[tuple[str, str]] = set()
    for claim in draft.analysis:
        for citation in claim.citations:
            item = cited_evidence(citation, snapshot)
            place = (citation.tool_call_id, citation.evidence_id)
            if item is not None and place not in seen:
                seen.add(place)
                yield snapshot.records[citation.tool_call_id], item


def evidence_data(pairs: Iterable[tuple[InvocationRecord, EvidenceItem]]) -> list[dict[str, Any]]:
    """Pieces with their origin until `MAX_EVIDENCE_BYTES` of text are spent; a cut one says so."""
    left = MAX_EVIDENCE_BYTES
    shown = []
    for record, item in pairs:
        if left <= 0:
            break
        text = cut_to_bytes(item["text"], left)
        left -= len(text.encode("utf-8"))
        shown.append(
            {
                "tool_call_id": record["tool_call_id"],
                "evidence_id": item["id"],
                "tool": record["tool"],
                "factual": record["factual"],
                "source": item["source"],
                "text": text,
                "cut": len(text) < len(item["text"]),
            }
        )
    return shown
