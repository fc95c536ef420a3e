"""Scores as a table for people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graph.evaluation.scoring import Score, totals

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_SHORT = {
    "INSUFFICIENT_EVIDENCE": "INSUFFICIENT",
    "MISSING_REQUIRED_CONTEXT": "MISSING",
    "INFORMATION_SATURATED": "SATURATED",
    "BUDGET_LIMIT_REACHED": "BUDGET",
    "PROGRESS_PROTOCOL_VIOLATED": "PROTOCOL",
}


def print_report(scores: Sequence[Score], console: "Console") -> None:
    """One line a case, then the totals."""
    console.print(_table(scores))
    for name, value in totals(scores).items():
        if isinstance(value, dict):
            value = ", ".join(f"{kind} {count}" for kind, count in value.items())
        console.print(f"{name.replace('_', ' ')}: {value}", highlight=False, markup=False)


def _table(scores: Sequence[Score]) -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE)
    for heading in ("case", "", "expected", "got", "stop", "cited"):
        table.add_column(heading)
    for heading in ("rounds", "tools", "tokens", "s"):
        table.add_column(heading, justify="right")
    table.add_column("wrong with it", overflow="fold")
    for one in scores:
        covered = one.must_cite - len(one.missing_citations)
        table.add_row(
            one.id,
            "ok" if one.right else "WRONG CAUSE" if one.wrong_cause else "-",
            _SHORT.get(one.expected, one.expected),
            _SHORT.get(one.got, one.got),
            _SHORT.get(one.stop_reason or "", one.stop_reason or ""),
            f"{covered}/{one.must_cite}" if one.must_cite else "",
            *(str(number) for number in (one.rounds, one.tool_calls, one.tokens)),
            f"{one.seconds:.1f}",
            _remarks(one),
        )
    return table


def _remarks(one: Score) -> str:
    remarks = [f"no match: {keyword}" for keyword in one.missing_keywords if one.got == "SUCCESS"]
    remarks += [f"forbidden: {text}" for text in one.forbidden]
    if one.false_citations:
        remarks.append(f"{one.false_citations} false citations")
    if not one.tokens_reconciled:
        remarks.append("tokens do not reconcile")
    return "; ".join(remarks)
