"""Every rule of the contract has a test that names it, wherever in the tests it stands."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

RULES = {
    "C1.1": "decisions are pure",
    "C1.2": "counters sit in typed state",
    "C1.3": "the session holds what was asked and released",
    "C1.4": "the recursion limit ends no run with an error",
    "C1.5": "what a run rests on is fixed at its begin",
    "C1.6": "a run that was cut off is closed, every outcome adds one message",
    "C2.1": "an evaluation is required if and only if one is due",
    "C2.2": "violations, first match",
    "C2.3": "a draft needs no evaluation",
    "C2.4": "calls of one message, in order",
    "C2.5": "every call has an id of its own",
    "C3.1": "a delivered stop ends the run",
    "C3.2": "violations are repaired, then stop",
    "C3.3": "the evaluation is applied",
    "C3.4": "a completed scope is not run again",
    "C3.5": "a budget goes straight to release",
    "C3.6": "admitted",
    "C3.7": "thresholds are fixed for a run",
    "C3.8": "a gaining run is never stopped",
    "C3.9": "one stop, the first reason",
    "C4": "what the model sees",
    "C5.1": "one boundary, one canonical record",
    "C5.2": "what a record holds",
    "C5.3": "equal scopes are the same query",
    "C5.4": "one relevance level",
    "C6": "which outcome a run gets",
    "C6.1": "a null conclusion asks no model",
    "C6.2": "citations are checked by rule",
    "C6.3": "a fallback is made from records",
    "C6.4": "what is never released",
    "C7": "typed trace events",
    "C7.1": "the nine events of a run that lacks context",
    "C7.2": "every model call has a component and its usage",
    "C7.3": "the figures of a finished run",
    "C7.4": "the trace alone tells why",
    "C8": "budgets",
    "C9": "prompts",
}
# headings of a family of rules, which name no rule of their own
FAMILIES = {"C0", "C1", "C2", "C3", "C5", "C10"}
_NAMED = re.compile(r"\bC\d+(?:\.\d+)?\b")


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def named_rules() -> dict[str, list[str]]:
    """Rule to the tests with a comment that names it."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(Path(__file__).parents[1].rglob("test_*.py")):
        lines = path.read_text(encoding="utf-8").splitlines()
        for node in ast.walk(ast.parse("\n".join(lines))):
            if isinstance(node, FUNCTIONS) and node.name.startswith("test_"):
                body = lines[node.lineno - 1 : node.end_lineno]
                comments = [line.partition("# ")[2] for line in body if "# C" in line]
                for rule in set(_NAMED.findall(" ".join(comments))):
                    found[rule].append(f"{path.name}::{node.name}")
    return dict(found)


@pytest.mark.parametrize("rule", sorted(RULES), ids=lambda rule: f"{rule} {RULES[rule]}")
def test_a_rule_has_tests_that_name_it(rule: str) -> None:
    assert named_rules().get(rule), f"no test names {rule}: {RULES[rule]}"


def test_no_test_names_a_rule_that_does_not_exist() -> None:
    assert named_rules().keys() - FAMILIES <= RULES.keys()


def test_every_test_here_names_what_it_holds() -> None:
    nameless = []
    for path in Path(__file__).parent.glob("test_*.py"):
        source = path.read_text(encoding="utf-8")
        if path.name != Path(__file__).name:
            nameless += [
                f"{path.name}::{node.name}"
                for node in ast.walk(ast.parse(source))
                if isinstance(node, ast.FunctionDef)
                and node.name.startswith("test_")
                and "# C" not in (ast.get_source_segment(source, node) or "")
            ]
    assert nameless == []
