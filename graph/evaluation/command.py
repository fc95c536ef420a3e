"""The evaluation as a command: arguments in, table or JSON out, 0 when it ran."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from graph.evaluation.cases import Case, CasesError, read_cases
from graph.evaluation.scoring import Score, as_json
from graph.free_loop import run_free

EXIT_RAN = 0
EXIT_UNUSABLE = 2
_MIN_COLUMNS = 120


def run_evaluation(cases: Path, data: Path, *, as_json_text: bool = False) -> int:
    """Score a case file over a data folder and print it. 2 for unusable files or settings."""
    from graph.settings import SettingsError

    try:
        scores = run_free(_scores(read_cases(cases), data))
    except (CasesError, SettingsError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - the command's own error line
        return EXIT_UNUSABLE
    if as_json_text:
        print(json.dumps(as_json(scores), ensure_ascii=False, indent=1))  # noqa: T201
    else:
        from rich.console import Console

        from graph.evaluation.report import print_report

        console = Console()
        # a pipe or file has no width of its own, and rich would squeeze the table into 80 columns
        width = console.width if console.is_terminal else max(console.width, _MIN_COLUMNS)
        print_report(scores, Console(width=width))
    return EXIT_RAN


async def _scores(cases: Sequence[Case], data: Path) -> list[Score]:
    from graph.evaluation.runner import evaluate

    return [one async for one in evaluate(cases, data)]


def main(arguments: Sequence[str] | None = None) -> int:
    """`python -m graph.evaluation CASES.jsonl --data FOLDER [--json]`."""
    parser = argparse.ArgumentParser(prog="python -m graph.evaluation", description=__doc__)
    parser.add_argument("cases", type=Path, help="JSON Lines, one case a line")
    parser.add_argument("--data", type=Path, required=True, help="folder with logs, knowledge, db")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args(arguments)
    return run_evaluation(given.cases, given.data, as_json_text=given.json)
