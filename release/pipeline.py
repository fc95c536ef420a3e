"""From what a run ended with to what its user is given: prove, decide, publish (C6)."""

from prompts import load_prompt
from release.case import AskModel, Note, PromptSource, ReleaseCase
from release.decision import DraftKind, Findings, ReleaseDecision, decide
from release.draft import DiagnosisDraft, parse_draft
from release.fallback import build_fallback, observed_facts
from release.proof import Proof, Prover
from release.released import Release, released_analysis, released_fallback, released_text
from release.vocabulary import ReleaseOutcome

__all__ = ["AskModel", "Note", "PromptSource", "Release", "ReleaseCase", "run_release"]


async def run_release(
    case: ReleaseCase, ask: AskModel, note: Note, *, prompt: PromptSource = load_prompt
) -> Release:
    """The one release of a run. Asks a model at most twice, and only about a draft that concludes.

    Raises what `ask` and `prompt` raise; `PromptFileError` cannot happen with loaded prompts.
    """
    draft = _draft_to_judge(case)
    proof = await Prover(case, ask, note, prompt).prove(draft) if draft else Proof()
    decision = decide(_findings(case, draft, proof))
    note("RELEASE_DECISION", _decision_fields(case, decision))
    return _published(case, decision, draft, proof)


def _draft_to_judge(case: ReleaseCase) -> DiagnosisDraft | None:
    """The draft, unless what ended the run makes it void."""
    if case.cancelled or case.intent_out_of_scope or case.failure_code is not None:
        return None
    return parse_draft(case.final_text) if case.final_text is not None else None


def _findings(case: ReleaseCase, draft: DiagnosisDraft | None, proof: Proof) -> Findings:
    return Findings(
        cancelled=case.cancelled,
        out_of_scope=case.intent_out_of_scope,
        failure_code=case.failure_code,
        draft=_kind(draft),
        citations_verified=proof.verified is not None,
        supported=proof.supported,
        missing_info_named=draft is not None and bool(draft.missing_info),
        verified_progress=case.snapshot.verified,
    )


def _kind(draft: DiagnosisDraft | None) -> DraftKind:
    if draft is None:
        return DraftKind.NONE
    return DraftKind.NULL_CONCLUSION if draft.conclusion is None else DraftKind.CONCLUSION


def _decision_fields(case: ReleaseCase, decision: ReleaseDecision) -> dict[str, object]:
    return {
        "outcome": str(decision.outcome),
        "fallback_type": str(decision.fallback_type) if decision.fallback_type else None,
        "error_code": decision.error_code,
        "stop_reason": case.stop_reason,
        "facts": len(case.snapshot.facts),
    }


def _published(
    case: ReleaseCase,
    decision: ReleaseDecision,
    draft: DiagnosisDraft | None,
    proof: Proof,
) -> Release:
    proved = proof.verified if decision.outcome is ReleaseOutcome.SUCCESS else None
    fallback = decision.fallback_type and build_fallback(
        decision.fallback_type,
        case.snapshot,
        language=case.language,
        missing_info=draft.missing_info if draft else [],
        false_citations=proof.false_citations_dropped,
        could_not_check=proof.could_not_check,
    )
    return Release(
        outcome=str(decision.outcome),
        conclusion=released_text(proved.conclusion) if proved and proved.conclusion else None,
        analysis=released_analysis(proved, case.snapshot) if proved else [],
        fallback=released_fallback(fallback) if fallback else None,
        error_code=decision.error_code,
        stop_reason=case.stop_reason,
        observed_facts=observed_facts(case.snapshot, case.language),
        next_steps=proved.suggestions if proved else [],
        run_id=case.run_id,
        session_id=case.session_id,
    )
