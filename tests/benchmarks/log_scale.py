"""How `query_logs` bears 10 million lines: beside ripgrep on the same files in the same run.

    python -m tests.benchmarks.log_scale [--lines 10000000] [--folder KEPT]

The files are generated (`tests.benchmarks.log_files`), a quarter of them packed; ripgrep (`rg -z`)
must be on the PATH. Each phase runs in a process of its own, so that nothing stays warm but the
files, and memory is that phase's peak. Every question is asked first without any index, then with
the one on disk. Without an index some answers are partial, which they say and the table repeats.
Both look at all files, since any may speak for a service; ripgrep does not look at times, nor read
what it finds as events.
"""

import argparse
import asyncio
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.benchmarks.log_files import NEEDLE, NEEDLE_SERVICE, SERVICES, write_logs
from tests.benchmarks.table import show

_WINDOW = {"start": "2026-03-12T04:00Z", "end": "2026-03-12T05:00Z"}
QUESTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "keyword": ({"keyword": NEEDLE}, NEEDLE),
    "keyword, service, window": (
        {"keyword": NEEDLE, "service": NEEDLE_SERVICE, **_WINDOW},
        NEEDLE,
    ),
    "keyword, window": ({"keyword": NEEDLE, **_WINDOW}, NEEDLE),
    "errors of a service, window": (
        {"service": NEEDLE_SERVICE, "level": "ERROR", **_WINDOW},
        f"level=error service={NEEDLE_SERVICE}",
    ),
    "frequent keyword, window": ({"keyword": "refused order", **_WINDOW}, "refused order"),
    "frequent keyword": ({"keyword": "refused order"}, "refused order"),
}


def main(lines: int, root: Path) -> None:
    """Writes the files unless they are there, then one table a phase."""
    folder, index = root / "logs", root / "index"
    if not folder.exists():
        write_logs(folder, lines)
    packed = sum(file.stat().st_size for file in folder.rglob("*.log*"))
    sys.stdout.write(f"{lines:,} lines, {packed / 1e9:.2f} GB on disk, {len(SERVICES)} services\n")
    grep = {name: _ripgrep(folder, literal) for name, (_, literal) in QUESTIONS.items()}
    rows = []
    for name, seconds in grep.items():
        shutil.rmtree(index, ignore_errors=True)
        told = _measured("ask", folder, index, name)
        label = f"{name} ({told['events']}{'+' if told['partial'] else ''})"
        rows.append([label, told["seconds"], seconds, told["seconds"] / seconds, told["peak_mb"]])
    _show("first question, no index (events counted; + is partial)", rows)
    shutil.rmtree(index, ignore_errors=True)
    built = _measured("build", folder, index, "")
    size = sum(file.stat().st_size for file in index.rglob("*.parquet")) / 1e6
    took, peak = built["seconds"], built["peak_mb"]
    sys.stdout.write(f"\nindex: {took:.0f} s, {size:,.0f} MB on disk, peak {peak:.0f} MB\n")
    rows = []
    for name, (_, literal) in QUESTIONS.items():
        told, seconds = _measured("ask", folder, index, name), _ripgrep(folder, literal)
        rows.append([name, told["seconds"], seconds, told["seconds"] / seconds, told["peak_mb"]])
    _show("first question of a process, index on disk", rows)
    told = _measured("repeat", folder, index, "")
    _show("repeated in a process", [
        [name, seconds, grep[name], seconds / grep[name], told["peak_mb"]]
        for name, seconds in told["each"].items()
    ])  # fmt: skip
    with (folder / NEEDLE_SERVICE / f"{NEEDLE_SERVICE}-07.log").open("a") as file:
        file.write("ts=2026-03-12T08:00:00Z level=info service=payment msg=one more\n")
    told = _measured("build", folder, index, "")
    sys.stdout.write(f"\none file grew: {told['seconds']:.1f} s until it is indexed again\n")


def _show(title: str, rows: list[list[Any]]) -> None:
    show(title, ("", "seconds", "rg -z", "ratio", "peak MB"), rows)


def _ripgrep(folder: Path, literal: str) -> float:
    """Seconds, the better of two."""
    command = ["rg", "-z", "-i", "-F", "--no-config", "-c", literal, str(folder)]
    spent = []
    for _ in range(2):
        started = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        spent.append(time.perf_counter() - started)
    return min(spent)


def _measured(phase: str, folder: Path, index: Path, name: str) -> dict[str, Any]:
    command = [sys.executable, "-m", __spec__.name, "--phase", phase, str(folder), str(index), name]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def _phase(phase: str, folder: Path, index: Path, name: str) -> dict[str, Any]:
    from tools.logs import LogsTool

    tool = LogsTool(folder, index_folder=index)
    told: dict[str, Any] = {}
    started = time.perf_counter()
    match phase:
        case "ask":
            result = _ask(tool, name)
            told["events"] = result.total
            told["partial"] = any("PARTIAL: " in item.text for item in result.evidence[:1])
        case "build":
            tool._index.refresh()
            tool._index.build(tool._index.unread, seconds=3_600)
        case "repeat":
            told["each"] = {each: min(_timed(tool, each) for _ in range(3)) for each in QUESTIONS}
    told["seconds"] = time.perf_counter() - started
    told["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # KiB on Linux
    tool.close()
    return told


def _timed(tool: Any, name: str) -> float:
    started = time.perf_counter()
    _ask(tool, name)
    return time.perf_counter() - started


def _ask(tool: Any, name: str) -> Any:
    from tools.logs import LogsQuery

    question, _ = QUESTIONS[name]
    return asyncio.run(tool.search(LogsQuery.model_validate(question)))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.log_scale")
    parser.add_argument("--lines", type=int, default=10_000_000)
    parser.add_argument("--folder", type=Path, help="keeps the files for another run")
    parser.add_argument("--phase", nargs=4, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    given = _arguments()
    if given.phase:
        phase, logs, index, name = given.phase
        sys.stdout.write(json.dumps(_phase(phase, Path(logs), Path(index), name)))
    elif given.folder:
        given.folder.mkdir(parents=True, exist_ok=True)
        main(given.lines, given.folder)
    else:
        with tempfile.TemporaryDirectory() as root:
            main(given.lines, Path(root))
