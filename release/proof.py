"""How far a draft is proved: citations by rule, at most one repair, then support (C6)."""

from dataclasses import dataclass

from release.case import AskModel, Note, PromptSource, ReleaseCase
from release.draft import DiagnosisDraft, parse_draft
from release.evidence_guard import (
    GuardCode,
    GuardReport,
    check_evidence,
    drop_false_citations,
    guard_report,
)
from release.evidence_repair import repair_messages
from release.semantic_guard import guard_messages, read_verdict


@dataclass(frozen=True, slots=True)
class Proof:
    """`verified` is the draft that concludes and whose citations hold, as proposed or repaired;
    `supported` is said of that one. `could_not_check`: a component gave no reply at all, which says
    nothing about the evidence."""

    verified: DiagnosisDraft | None = None
    supported: bool = False
    could_not_check: bool = False
    false_citations_dropped: bool = False


@dataclass(frozen=True, slots=True)
class Prover:
    """Judges the draft of one case and notes what each guard said."""

    case: ReleaseCase
    ask: AskModel
    note: Note
    prompt: PromptSource

    async def prove(self, draft: DiagnosisDraft) -> Proof:
        """A null conclusion never reaches a model (C6.1)."""
        report = check_evidence(draft, self.case.snapshot)
        self._note_report("EVIDENCE_GUARD_INITIAL", report)
        if draft.conclusion is None:
            kept = drop_false_citations(draft, self.case.snapshot)
            return Proof(false_citations_dropped=kept != draft)
        if report.passed:
            return await self._guarded(draft)
        return await self._guarded_after_repair(draft, report)

    async def _guarded_after_repair(self, draft: DiagnosisDraft, report: GuardReport) -> Proof:
        """The mended draft counts only if it still concludes and its citations now hold."""
        case = self.case
        instructions = self.prompt("evidence_repair", case.language)
        messages = repair_messages(instructions, case.question, draft, report, case.snapshot)
        reply = await self.ask("EVIDENCE_REPAIR", messages)
        if reply is None:
            return Proof(could_not_check=True)
        repaired = parse_draft(reply)
        self.note("EVIDENCE_REPAIR", {"readable": repaired is not None})
        if repaired is None:
            return Proof()
        if repaired.conclusion is None:
            final = guard_report({GuardCode.CONCLUSION_WITHDRAWN})
        else:
            final = check_evidence(repaired, case.snapshot)
        self._note_report("EVIDENCE_GUARD_FINAL", final)
        return await self._guarded(repaired) if final.passed else Proof()

    async def _guarded(self, draft: DiagnosisDraft) -> Proof:
        """Without a reply there is no verdict, and none is noted."""
        case = self.case
        instructions = self.prompt("semantic_guard", case.language)
        messages = guard_messages(instructions, case.question, draft, case.snapshot)
        reply = await self.ask("SEMANTIC_GUARD", messages)
        if reply is None:
            return Proof(could_not_check=True)
        verdict = read_verdict(reply)
        fields = {"supported": verdict.supported, "readable": verdict.readable}
        self.note("SEMANTIC_GUARD", fields)
        return Proof(draft, supported=verdict.supported)

    def _note_report(self, event: str, report: GuardReport) -> None:
        self.note(event, {"passed": report.passed, "codes": list(report.codes)})
