"""The README shows what the code is: the drawn graph and both rule tables."""

import re
from pathlib import Path

import pytest

from graph import build_graph
from graph.contract.gate import RULES
from release.decision import decision_table
from tests.fakes.scripted_model import ScriptedModel
from tools.invocations.sqlite import SqliteInvocationStore

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
MAX_LINES = 200


def test_diagram_is_the_compiled_graph() -> None:  # C1
    graph = build_graph(
        models=ScriptedModel(replies=[]),
        tools=[],
        invocations=SqliteInvocationStore(":memory:"),
    )
    shown = re.search(r"```mermaid\n(.*?)```", README, re.DOTALL)
    assert shown is not None
    drawn = graph.get_graph().draw_mermaid(with_styles=False)
    assert set(shown[1].split("\n")) - {""} == set(drawn.split("\n")) - {""}


def test_gate_table_is_the_gate() -> None:  # C3
    rows = [f"| {rule.name} | {rule.says} |" for rule in RULES]
    assert "\n".join(rows) in README


def test_decision_table_is_the_decision() -> None:  # C6
    rows = [f"| {came} | {outcome} |" for came, outcome in decision_table()]
    assert "\n".join(rows) in README


def test_first_screen_stays_readable() -> None:
    assert len(README.splitlines()) <= MAX_LINES


@pytest.mark.parametrize("line", re.findall(r"\]\(([^)#:]+)\)", README))
def test_links_lead_somewhere(line: str) -> None:
    assert (Path(__file__).parents[2] / line).exists()
