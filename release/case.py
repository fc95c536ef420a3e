"""What a release rests on: the run's end as given, and the three callables it works through."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

from release.component_data import Message
from release.snapshot import ProgressSnapshot
from release.vocabulary import Language

AskModel = Callable[
    [Literal["EVIDENCE_REPAIR", "SEMANTIC_GUARD"], list[Message]], Awaitable[str | None]
]
"""One call of a component; None when there is no budget left for it or the call failed."""

Note = Callable[[str, dict[str, Any]], None]
"""Takes a trace event's type and its own fields (C7), in order."""

PromptSource = Callable[[Literal["evidence_repair", "semantic_guard"], Language], str]
"""A component's instructions; `prompts.load_prompts(folder)` is one that stays off the disk."""


@dataclass(frozen=True, slots=True)
class ReleaseCase:
    """How a run ended. `final_text` is the agent's last text, None when it gave none;
    `failure_code` a stable code when a technical failure ended the run."""

    question: str
    language: Language
    run_id: str
    session_id: str
    intent_out_of_scope: bool
    cancelled: bool
    failure_code: str | None
    final_text: str | None
    snapshot: ProgressSnapshot
    stop_reason: str | None
