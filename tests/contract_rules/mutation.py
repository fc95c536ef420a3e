"""Breaks the pure rules one operator at a time and asks whether a test notices.

    python tests/contract_rules/mutation.py              every rule, about five minutes on two cores
    python tests/contract_rules/mutation.py --bounded    the stop contract alone, for CI

mutmut does the breaking (`[tool.mutmut]` in pyproject.toml says where). A mutant may survive only
if `survivors.toml` lists it with a reason; an entry that no longer survives is an error too.
"""

import argparse
import fnmatch
import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
LISTED = Path(__file__).with_name("survivors.toml")
BOUNDED = ("graph.contract.*",)
NOTICED = ("killed", "timeout", "caught by type check")
_CHANGE = re.compile(r"^([-+])(?!--|\+\+)\s*(.*\S)", re.MULTILINE)


@dataclass(frozen=True)
class Change:
    """What a mutant does, by its text: mutants' numbers move whenever their function does."""

    function: str
    was: str
    becomes: str


@dataclass(frozen=True)
class Outcome:
    """Mutants in all, and those that no test noticed, in the order of the code."""

    mutants: int
    unnoticed: tuple[Change, ...]


def run(patterns: Sequence[str]) -> Outcome:
    """A fresh run of mutmut over the modules that match, all of them without a pattern."""
    shutil.rmtree(ROOT / "mutants", ignore_errors=True)
    _mutmut("run", *patterns)
    _every_test_can_be_run()
    states = dict(_states(patterns))
    if not states:
        sys.exit("nothing was broken: no function matches")
    return Outcome(
        mutants=len(states),
        unnoticed=tuple(_change(name) for name, state in states.items() if state not in NOTICED),
    )


def listed(patterns: Sequence[str]) -> dict[Change, str]:
    """The survivors that are accepted, each with its reason."""
    entries = tomllib.loads(LISTED.read_text(encoding="utf-8")).get("survivor", [])
    return {
        Change(entry["function"], entry["was"], entry["becomes"]): entry["reason"]
        for entry in entries
        if not patterns or any(fnmatch.fnmatch(entry["function"], one) for one in patterns)
    }


def _every_test_can_be_run() -> None:
    """mutmut names tests by node id and takes "no such test" for a kill, so each name must do."""
    known = json.loads((ROOT / "mutants" / "mutmut-stats.json").read_text(encoding="utf-8"))
    command = [sys.executable, "-m", "pytest", "--rootdir=.", "--collect-only", "-qq"]
    done = subprocess.run(
        [*command, *known["duration_by_test"]],
        cwd=ROOT / "mutants",
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"tests whose ids pytest does not take back:\n{done.stderr[-4_000:]}")


def _states(patterns: Sequence[str]) -> Iterable[tuple[str, str]]:
    for line in _mutmut("results", "--all", "true").splitlines():
        name, _, state = line.strip().rpartition(": ")
        if name and (not patterns or any(fnmatch.fnmatch(name, one) for one in patterns)):
            yield name, state


def _change(mutant: str) -> Change:
    sides: dict[str, list[str]] = {"-": [], "+": []}
    for sign, text in _CHANGE.findall(_mutmut("show", mutant)):
        sides[sign].append(text)
    return Change(_function(mutant), " ".join(sides["-"]), " ".join(sides["+"]))


def _function(mutant: str) -> str:
    """`a.b.x__f__mutmut_3` and `a.b.xǁClassǁf__mutmut_3` as `a.b._f` and `a.b.Class.f`."""
    module, _, mangled = mutant.rpartition("__mutmut_")[0].rpartition(".")
    name = ".".join(mangled.split("ǁ")[1:]) if "ǁ" in mangled else mangled.removeprefix("x_")
    return f"{module}.{name}"


def _mutmut(*arguments: str) -> str:
    command = [sys.executable, "-m", "mutmut", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-4_000:]}\n{done.stderr[-4_000:]}")
    return done.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--bounded", action="store_true", help="the stop contract alone")
    parser.add_argument("modules", nargs="*", help="patterns such as tools.observation.*")
    chosen = parser.parse_args()
    patterns = (*chosen.modules, *(BOUNDED if chosen.bounded else ()))
    outcome, accepted = run(patterns), listed(patterns)
    unlisted = [change for change in outcome.unnoticed if change not in accepted]
    stale = [change for change in accepted if change not in outcome.unnoticed]
    figures = {
        "mutants": outcome.mutants,
        "noticed": outcome.mutants - len(outcome.unnoticed),
        "survived with a reason": len(outcome.unnoticed) - len(unlisted),
        "survived without": len(unlisted),
    }
    report = [json.dumps(figures)]
    report += [f"SURVIVED  {one.function}\n  - {one.was}\n  + {one.becomes}" for one in unlisted]
    report += [f"LISTED BUT NOTICED  {one.function}\n  + {one.becomes}" for one in stale]
    sys.stdout.write("\n".join(report) + "\n")
    return 1 if unlisted or stale else 0


if __name__ == "__main__":
    sys.exit(main())
