"""The built-in rules model: deterministic, offline, and honest about finding simple causes only."""

from graph.models import Models


def offline_models() -> Models:
    """A rules model for every component."""
    from graph.offline.chat import RulesModel

    return Models(
        agent=RulesModel(component="agent"),
        router=RulesModel(component="router"),
        evidence_repair=RulesModel(component="evidence_repair"),
        semantic_guard=RulesModel(component="semantic_guard"),
    )
