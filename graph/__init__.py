"""The diagnosis graph: its builder, its settings, its models, and a blocking helper for scripts.

    contract/   the stop contract, pure
    nodes/      thin nodes around it
    audit/      closed trace events
    build, routing, state, parts   the graph itself
    app, cli, provider, settings, free_loop   the edge to the world
    offline/, incident/, evaluation/   the built-in rules model, a shipped incident, scoring

Importing this package does no I/O.
"""

from pathlib import Path
from types import ModuleType

import prompts
import release
import tools


class ShadowedPackageError(ImportError):
    """Another top-level package stands in the place of one of ours."""


def _require_own(package: ModuleType) -> None:
    own = Path(__file__).parent.parent
    places = [Path(place).parent for place in package.__path__]
    if own not in places:
        raise ShadowedPackageError(
            f"another top-level package named {package.__name__!r} shadows ours; run the diagnosis"
            " agent in an environment of its own, or call it through langgraph's RemoteGraph"
        )


for _package in (prompts, release, tools):
    _require_own(_package)

from graph.build import build_graph  # noqa: E402 - only after the siblings are known to be ours
from graph.models import Models  # noqa: E402
from graph.scripting import diagnose  # noqa: E402
from graph.settings import Settings, SettingsError  # noqa: E402

__all__ = ["Models", "Settings", "SettingsError", "build_graph", "diagnose"]
