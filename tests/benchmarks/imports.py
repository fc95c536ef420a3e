"""What `import graph` costs beside `import langgraph.graph`, with bytecode compiled.

    python -m tests.benchmarks.imports [repetitions]

Each import runs in a fresh interpreter; the interpreter's own start is taken off.
"""

import os
import subprocess
import sys
import time
from statistics import median

from tests.benchmarks.table import show

NOTHING, PEER, OURS = "pass", "import langgraph.graph", "import graph"
STATEMENTS = (NOTHING, PEER, OURS)


def main(repetitions: int) -> None:
    """One table; the first round of each statement compiles and is not counted."""
    times: dict[str, list[tuple[float, float]]] = {statement: [] for statement in STATEMENTS}
    for repetition in range(repetitions + 1):
        turn = repetition % len(STATEMENTS)
        for statement in (*STATEMENTS[turn:], *STATEMENTS[:turn]):
            spent = _spent(statement)
            if repetition:
                times[statement].append(spent)
    rows: list[list[object]] = []
    for statement in (PEER, OURS):
        net = [_net(times, statement, kind) for kind in (0, 1)]
        ratios = [
            median(a / b for a, b in zip(net[kind], _net(times, PEER, kind), strict=True))
            for kind in (0, 1)
        ]
        rows.append([statement, *(1e3 * median(values) for values in net), *ratios])
    show("Import, ms", ("", "CPU", "wall", "CPU ratio", "wall ratio"), rows)


def _spent(statement: str) -> tuple[float, float]:
    """CPU and wall seconds of one interpreter."""
    environment = {key: os.environ[key] for key in os.environ if key != "PYTHONDONTWRITEBYTECODE"}
    before, started = os.times(), time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True, env=environment)
    wall, after = time.perf_counter() - started, os.times()
    cpu = after.children_user + after.children_system
    return cpu - before.children_user - before.children_system, wall


def _net(times: dict[str, list[tuple[float, float]]], statement: str, kind: int) -> list[float]:
    pairs = zip(times[statement], times[NOTHING], strict=True)
    return [own[kind] - bare[kind] for own, bare in pairs]


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 9)
