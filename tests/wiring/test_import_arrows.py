"""Who may import whom: the arrows of the house, read from the source of every module.

What the table does not name may import nothing of ours, so a new module is either independent or
says here what it rests on; a source or store under `tools` rests on records and scopes alone.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OURS = ("graph", "tools", "prompts", "release")
PURE = {"graph.contract", "graph.audit"}
RECORD_TYPES = {"tools.evidence", "tools.invocations"}
CORE = {"graph.state", "graph.parts", "graph.routing", "graph.nodes", "graph.compiled"}

# unit -> the units of ours that it may import, besides itself
ARROWS: dict[str, set[str]] = {
    "graph.models": PURE,
    "graph.alerts": {"release", "tools.masking"},
    "graph.settings": {
        *PURE,
        "graph.model_settings",
        "graph.source_settings",
        "graph.time_zones",
    },
    "graph.model_settings": {"graph.provider_presets"},
    "graph.provider_presets": set(),
    "graph.providers": {"graph.model_settings", "graph.provider_presets", "graph.settings"},
    "graph.source_settings": {"graph.plugin_settings", "graph.time_zones"},
    "graph.state": {*PURE, "graph.usage_shares", "release"},
    "graph.usage_shares": PURE,
    "graph.parts": {*PURE, "graph.settings", "prompts", "tools"},
    "graph.routing": {"graph.state"},
    "graph.cancellation": {*PURE, "graph.cut_off", "graph.state", "graph.usage_shares", "tools"},
    "graph.cut_off": PURE,
    "graph.short_checkpoints": set(),
    "graph.compiled": {"graph.cancellation", "graph.short_checkpoints", "graph.state"},
    "graph.nodes": {
        *PURE,
        "graph.alerts",
        "graph.cut_off",
        "graph.state",
        "graph.parts",
        "graph.usage_shares",
        "release",
        "prompts",
        "tools",
    },
    "graph.wire_client": set(),
    "graph.build": {
        *PURE,
        *CORE,
        "graph.models",
        "graph.settings",
        "graph.wire_client",
        "prompts",
        "tools",
    },
    "graph.scripting": {"graph.build", "graph.free_loop"},
    "graph.sessions": {*PURE, "graph.build", "graph.cancellation", "graph.state", "prompts"},
    "graph.provider": {
        "graph.model_settings",
        "graph.models",
        "graph.offline",
        "graph.providers",
        "graph.settings",
    },
    "graph.offline": {"graph.models"},
    "graph": {"graph.build", "graph.models", "graph.scripting", "graph.settings", *OURS[1:]},
    "release": {"prompts", *RECORD_TYPES},
    "tools.evidence": {"tools.scope"},
    "tools.invocations": {"tools.sqlite_files"},
    "tools.scope": set(),
    "tools.shielded": set(),
    "tools.sqlite_files": set(),
    "tools.knowledge": {*RECORD_TYPES, "tools.scope", "tools.sqlite_files"},
    "tools.masking": {"tools.evidence"},
    "tools.databases": {"tools.evidence"},
    "tools.logs": {"tools.databases", "tools.evidence", "tools.scope"},
    "tools.sql": {"tools.databases", "tools.evidence", "tools.masking"},
    "tools.observation": {"tools.invocations", "tools.scope"},
    "tools.short_observation": {"tools.invocations", "tools.observation"},
    "tools.requests": {"tools.evidence", "tools.scope"},
    "tools.binding": {"tools.compact_schema", "tools.evidence"},
    "tools.compact_schema": set(),
    "tools.boundary": {
        *RECORD_TYPES,
        "tools.masking",
        "tools.observation",
        "tools.requests",
        "tools.scope",
        "tools.shielded",
    },
    "tools": {"tools"},
}
# the edges to the world may use everything, and nothing but the edges may use them
FREE = {
    "graph.app",
    "graph.cli",
    "graph.command",
    "graph.evaluation",
    "graph.incident",
    "graph.log_source",
    "graph.mcp_sources",
    "graph.own_tools",
    "graph.sources",
    "graph.stores",
}


def unit(module: str) -> str:
    """The package or module that the table speaks of."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] in ("graph", "tools") else parts[0]


def modules() -> Iterator[tuple[str, ast.Module]]:
    for package in OURS:
        for file in sorted((ROOT / package).rglob("*.py")):
            parts = file.relative_to(ROOT).with_suffix("").parts
            yield ".".join(parts).removesuffix(".__init__"), ast.parse(file.read_text("utf-8"))


def imported(tree: ast.Module) -> Iterator[str]:
    """Every module of ours that it imports, also inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module in ("graph", "tools"):
            names = [f"{node.module}.{a.name}" for a in node.names if _is_module(node.module, a)]
            names += [node.module] if len(names) < len(node.names) else []
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports name their module in full"
            names = [node.module or ""]
        else:
            continue
        yield from (name for name in names if name.split(".")[0] in OURS)


def _is_module(package: str, alias: ast.alias) -> bool:
    place = ROOT / package / alias.name
    return place.is_dir() or place.with_suffix(".py").is_file()


IMPORTS = sorted(
    {
        (unit(module), unit(name))
        for module, tree in modules()
        for name in imported(tree)
        if unit(module) != unit(name)
    }
)

NAMES = [f"{importer} to {name}" for importer, name in IMPORTS]


def allowed(importer: str, imported_unit: str) -> bool:
    if importer in FREE:
        return True
    otherwise = {*RECORD_TYPES, "tools.scope"} if importer.startswith("tools.") else set()
    may = ARROWS.get(importer, otherwise)
    return imported_unit in may or imported_unit.split(".")[0] in may


@pytest.mark.parametrize(("importer", "name"), IMPORTS, ids=NAMES)
def test_every_import_follows_an_arrow(importer, name):
    assert allowed(importer, name), f"{importer} must not import {name}"


@pytest.mark.parametrize(("importer", "name"), IMPORTS, ids=NAMES)
def test_nothing_reaches_back_to_the_edges(importer, name):
    assert name not in FREE or importer in FREE


def test_the_contract_and_the_audit_import_nothing_of_ours():
    # C1.1
    assert [pair for pair in IMPORTS if pair[0] in PURE] == []


def test_the_table_holds_what_it_should_refuse():
    for pair in (
        ("graph.contract", "graph.audit"),
        ("graph.nodes", "graph.build"),
        ("graph.nodes", "graph.app"),
        ("graph.state", "graph.nodes"),
        ("release", "graph.state"),
        ("release", "tools.boundary"),
        ("tools.logs", "tools.sql"),
        ("tools.logs", "tools.boundary"),
        ("tools.evidence", "tools.boundary"),
        ("tools.observation", "release"),
        ("prompts", "tools.scope"),
    ):
        assert not allowed(*pair), pair
    assert len(IMPORTS) > 40
