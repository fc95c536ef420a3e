"""How `lookup_knowledge` bears a large folder: first build, opening again, queries, memory.

    python -m tests.benchmarks.knowledge_scale [--sections 100000] [--queries 400] [--folder KEPT]

The documents are generated, half Chinese and half English, ten sections each, words as unevenly
spread as in real text; every number is the same for the same seed. Each phase runs in a process of
its own, so that nothing stays warm but the files, and memory is that phase's peak. A query runs
whole: the folder is looked at for changes, then searched.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from statistics import quantiles

from tests.benchmarks.knowledge_documents import SECTIONS_A_FILE, queries, write_documents
from tests.benchmarks.table import show

SEED = 20261201
PHASES = ("build", "open again", "open, 1 file new")


def main(sections: int, asked: int, root: Path) -> None:
    """Writes the documents unless they are there, then one table a question."""
    folder, index = root / "documents", root / "index"
    if not folder.exists():
        write_documents(folder, sections, Random(SEED))
    index.mkdir(mode=0o700, exist_ok=True)
    for built in index.iterdir():
        built.unlink()
    rows: list[list[object]] = []
    for phase in PHASES:
        if phase == PHASES[-1]:
            (folder / "new.md").write_text("# New\n\nbroker restarts\n")
        told = _measured(folder, index, 0)
        rows.append([phase, told["open_seconds"], told["peak_mb"]])
    (folder / "new.md").unlink()
    megabytes = sum(file.stat().st_size for file in index.iterdir()) / 1e6
    show(
        f"{sections:,} sections in {sections // SECTIONS_A_FILE:,} files,"
        f" index of {megabytes:,.0f} MB on disk",
        ("", "seconds", "peak MB"),
        rows,
    )
    told = _measured(folder, index, asked)
    show(
        f"{asked} queries, ms",
        ("", "p50", "p99", "max"),
        [[language, *told[language]] for language in ("zh", "en")],
    )
    sys.stdout.write(f"\npeak memory with queries: {told['peak_mb']:.0f} MB\n")


def _measured(folder: Path, index: Path, asked: int) -> dict[str, object]:
    command = [sys.executable, "-m", __spec__.name, "--phase", str(folder), str(index), str(asked)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=os.environ)
    told: dict[str, object] = json.loads(done.stdout)
    return told


def _phase(folder: Path, index: Path, asked: int) -> dict[str, object]:
    """One process's life: the index opened and brought up to date, then queries."""
    from tools.knowledge.library import KnowledgeLibrary

    started = time.perf_counter()
    library = KnowledgeLibrary(folder, index)
    library.refresh()
    told: dict[str, object] = {"open_seconds": time.perf_counter() - started}
    for language, texts in queries(asked, Random(SEED + 1)).items():
        spent = []
        for text in texts:
            started = time.perf_counter()
            library.search(text, limit=50)
            spent.append(1e3 * (time.perf_counter() - started))
        if spent:
            cuts = quantiles(spent, n=100, method="inclusive")
            told[language] = [cuts[49], cuts[98], max(spent)]
    peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KiB on Linux
    return {**told, "peak_mb": peak_kb / 1024}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.knowledge_scale")
    parser.add_argument("--sections", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=400)
    parser.add_argument("--folder", type=Path, help="keeps the documents for another run")
    parser.add_argument("--phase", nargs=3, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    given = _arguments()
    if given.phase:
        told = _phase(Path(given.phase[0]), Path(given.phase[1]), int(given.phase[2]))
        sys.stdout.write(json.dumps(told))
    elif given.folder:
        given.folder.mkdir(parents=True, exist_ok=True)
        main(given.sections, given.queries, given.folder)
    else:
        with tempfile.TemporaryDirectory() as root:
            main(given.sections, given.queries, Path(root))
