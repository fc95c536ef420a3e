"""Asks for one mended draft when citations fail; the reply is parsed and checked anew (C6)."""

from collections.abc import Iterator

from release.component_data import Message, cited_items, component_messages, evidence_data
from release.draft import DiagnosisDraft
from release.evidence_guard import GuardReport, citation_problems
from release.snapshot import ProgressSnapshot
from tools.invocations import EvidenceItem, InvocationRecord


def repair_messages(
    instructions: str,
    question: str,
    draft: DiagnosisDraft,
    report: GuardReport,
    snapshot: ProgressSnapshot,
) -> list[Message]:
    """The draft, each problem with its place (counted from 1), and what can be cited."""
    problems = [
        {"claim": claim + 1, "citation": citation + 1, "problem": str(code)}
        for claim, citation, code in citation_problems(draft, snapshot)
    ]
    placed = {problem["problem"] for problem in problems}
    general = [{"problem": code} for code in report.codes if code not in placed]
    data = {
        "question": question,
        "draft": draft.model_dump(),
        "problems": [*problems, *general],
        "evidence": evidence_data(_citable(draft, snapshot)),
    }
    return component_messages(instructions, data)


def _citable(
    draft: DiagnosisDraft, snapshot: ProgressSnapshot
) -> Iterator[tuple[InvocationRecord, EvidenceItem]]:
    """What the draft points at first, then everything else in the order it was found."""
    cited = {(record["tool_call_id"], item["id"]) for record, item in cited_items(draft, snapshot)}
    yield from cited_items(draft, snapshot)
    for record in snapshot.records.values():
        for item in record["evidence"]:
            if (record["tool_call_id"], item["id"]) not in cited:
                yield record, item
