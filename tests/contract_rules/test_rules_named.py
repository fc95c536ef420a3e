"""Every rule of the envelope and of the gate has a test that names it."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

RULES = {
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
}
_NAMED = re.compile(r"C[23]\.\d")


def named_rules() -> dict[str, list[str]]:
    """Rule to the tests with a comment that names it."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        lines = path.read_text(encoding="utf-8").splitlines()
        for node in ast.walk(ast.parse("\n".join(lines))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                body = lines[node.lineno - 1 : node.end_lineno]
                comments = [line.partition("# ")[2] for line in body if "# C" in line]
                for rule in set(_NAMED.findall(" ".join(comments))):
                    found[rule].append(f"{path.name}::{node.name}")
    return found


@pytest.mark.parametrize("rule", sorted(RULES), ids=lambda rule: f"{rule} {RULES[rule]}")
def test_a_rule_has_tests_that_name_it(rule: str) -> None:
    assert named_rules()[rule], f"no test names {rule}: {RULES[rule]}"


def test_no_test_names_a_rule_that_does_not_exist() -> None:
    assert named_rules().keys() <= RULES.keys()


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
