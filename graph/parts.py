"""The real parts a compiled graph holds: bound models, tools, prompts, the boundary, a clock."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable

from graph.contract.vocabulary import Component
from graph.settings import Settings
from prompts import Prompts
from tools.boundary import ToolBoundary
from tools.evidence import EvidenceTool

if TYPE_CHECKING:
    # chat models bring output parsers and more, which an import of ours need not wait for
    from langchain_core.language_models import LanguageModelInput

ChatRunnable: TypeAlias = "Runnable[LanguageModelInput, BaseMessage]"


@dataclass(frozen=True)
class Parts:
    """What nodes may use; made once by `build_graph`. `now` gives aware times."""

    models: Mapping[Component, ChatRunnable]
    tools: Mapping[str, EvidenceTool[Any]]
    boundary: ToolBoundary
    settings: Settings
    prompts: Prompts
    now: Callable[[], datetime]
