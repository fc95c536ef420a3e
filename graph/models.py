"""The chat models of a run, one for each component."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graph.contract.vocabulary import Component

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


@dataclass(frozen=True)
class Models:
    """A model for each component; those left out use the agent's."""

    agent: "BaseChatModel"
    router: "BaseChatModel | None" = None
    evidence_repair: "BaseChatModel | None" = None
    semantic_guard: "BaseChatModel | None" = None

    def by_component(self) -> Mapping[Component, "BaseChatModel"]:
        """Every component's model."""
        return {
            Component.DIAGNOSIS_AGENT: self.agent,
            Component.ROUTER: self.router or self.agent,
            Component.EVIDENCE_REPAIR: self.evidence_repair or self.agent,
            Component.SEMANTIC_GUARD: self.semantic_guard or self.agent,
        }
