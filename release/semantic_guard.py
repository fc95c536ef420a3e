"""Asks whether the cited evidence supports the conclusion. Unreadable means not supported (C6)."""

from dataclasses import dataclass

from release.component_data import Message, cited_items, component_messages, evidence_data
from release.draft import DiagnosisDraft
from release.reply import read_object
from release.snapshot import ProgressSnapshot


@dataclass(frozen=True, slots=True)
class GuardVerdict:
    """`supported` only when the reply says exactly so; its reasons are never kept."""

    supported: bool
    readable: bool


def guard_messages(
    instructions: str, question: str, draft: DiagnosisDraft, snapshot: ProgressSnapshot
) -> list[Message]:
    """The request: conclusion, claims, and each cited piece of evidence whole, with its origin.

    Nothing of the agent's dialogue, and nothing of its draft that claims no proof.
    """
    data = {
        "question": question,
        "conclusion": draft.conclusion,
        "claims": [claim.model_dump() for claim in draft.analysis],
        "evidence": evidence_data(cited_items(draft, snapshot)),
    }
    return component_messages(instructions, data)


def read_verdict(text: str) -> GuardVerdict:
    """The verdict in a reply that came."""
    value = read_object(text)
    supported = value.get("supported") if value is not None else None
    if not isinstance(supported, bool):
        return GuardVerdict(supported=False, readable=False)
    return GuardVerdict(supported=supported, readable=True)
