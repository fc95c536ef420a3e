"""The built-in rules model: deterministic, offline, and honest about finding simple causes only."""

from typing import get_args

from graph.models import Models


def offline_models() -> Models:
    """A rules model for every component."""
    from graph.offline.chat import Component, RulesModel

    return Models(**{name: RulesModel(component=name) for name in get_args(Component)})
