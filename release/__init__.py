"""What a user is given: drafts are judged, progress is projected, one outcome is decided (C6).

Pure but for two model components, which `run_release` asks through a callable. `decision.RULES` is
the table of outcomes; `snapshot` says what counts as a fact; the guards say what counts as proof.
"""

from release.draft import DiagnosisDraft
from release.fallback import SafeFallback
from release.vocabulary import FallbackType, Language, ReleaseOutcome

__all__ = ["DiagnosisDraft", "FallbackType", "Language", "ReleaseOutcome", "SafeFallback"]
