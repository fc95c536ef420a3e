"""An observation of an earlier round, shortened to its facts: what was asked, what was found and
where, each text's beginning. Ids stay, so that it can be cited; the record keeps the whole."""

from pydantic import ValidationError

from tools.invocations import EvidenceItem
from tools.observation import EvidenceView, ResultView, cut_text, fit_evidence, observation_text

MAX_EVIDENCE_BYTES = 1_024
MAX_TEXT_BYTES = 160
"""Of one piece of evidence; a log line's time, level and first words."""


def short_observation(content: str) -> str:
    """The observation in few bytes, built from the same allow-list (C4). What is no result, or is
    short already, stays as it is; a text is cut at its end only, so that it can be quoted."""
    try:
        view = ResultView.model_validate_json(content)
    except ValidationError:
        return content
    beginnings = [
        EvidenceItem(id=item.id, source=item.source, text=cut_text(item.text, MAX_TEXT_BYTES))
        for item in view.evidence
    ]
    kept = [EvidenceView(**item) for item in fit_evidence(beginnings, MAX_EVIDENCE_BYTES)]
    if kept == view.evidence:
        return content
    return observation_text(view.model_copy(update={"evidence": kept, "truncated": True}))
