"""A team's own tools, named in the settings by their place in Python: `package.module:name`."""

from importlib import import_module
from typing import Any

from graph.settings import Settings, SettingsError
from tools.evidence import EvidenceTool


def own_tools(settings: Settings) -> dict[str, list[EvidenceTool[Any]]]:
    """By name of the place: the `EvidenceTool` there, a LangChain tool wrapped as one, or several
    in a list. Raises `SettingsError` for what is not there or is neither."""
    return {place: _tools_at(place) for place in settings.sources.tools}


def _tools_at(place: str) -> list[EvidenceTool[Any]]:
    module, _, name = place.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError):
        raise SettingsError(f"sources.tools: there is no {place!r} on the import path") from None
    except Exception as fault:  # noqa: BLE001 - a team's own module; its text may hold anything
        raise SettingsError(f"sources.tools: {place!r} raises {type(fault).__name__}") from None
    several = found if isinstance(found, list | tuple) else [found]
    return [_as_evidence_tool(place, one) for one in several]


def _as_evidence_tool(place: str, found: object) -> EvidenceTool[Any]:
    from langchain_core.tools import BaseTool

    from tools.adapters import as_evidence_tool

    if isinstance(found, EvidenceTool):
        return found
    if not isinstance(found, BaseTool):
        raise SettingsError(f"sources.tools: {place!r} is no EvidenceTool and no LangChain tool")
    try:
        return as_evidence_tool(found)
    except ValueError as refused:
        raise SettingsError(f"sources.tools: {place!r}: {refused}") from None
