"""What the dev server keeps of gaining rounds in `.langgraph_api`, beside a plain message list.

    python -m tests.benchmarks.dev_server_bytes [rounds]

Starts `langgraph dev` once a row and measures the files that it leaves: its saver's, pickles of
checkpoints, writes and blobs with their keys, and all others (threads, runs, its own store).
"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from langgraph_sdk import get_client

from tests.benchmarks.contenders import LOOP, OURS
from tests.benchmarks.rounds import QUESTION
from tests.benchmarks.table import show
from tests.wiring.dev_server import PROGRAM, ROOT, running

GRAPHS = {LOOP: "message_list", OURS: "diagnosis"}


def main(rounds: int) -> None:
    """One table."""
    if PROGRAM is None:
        sys.exit("the langgraph command is not installed")
    rows: list[list[object]] = []
    for name, graph in GRAPHS.items():
        for size in (rounds // 4, rounds // 2, rounds):
            with tempfile.TemporaryDirectory() as folder:
                rows.append([name, size, *_megabytes(Path(folder), graph, size)])
    header = ("MB", "rounds", "saver's files", "others")
    show("Gaining rounds of 1 KB on the dev server", header, rows)


def _megabytes(folder: Path, graph: str, rounds: int) -> tuple[float, float]:
    (folder / "rounds").write_text(str(rounds), encoding="utf-8")
    served = {graph: f"tests.benchmarks.served_rounds:{graph}"}
    config = folder / "langgraph.json"
    config.write_text(json.dumps({"dependencies": [str(ROOT)], "graphs": served}), "utf-8")
    with running(folder, config) as server:
        asyncio.run(_asked(server.url, graph))
    files = list((folder / ".langgraph_api").iterdir())
    saved = [file for file in files if file.name.startswith(".langgraph_checkpoint.")]
    total, own = (sum(file.stat().st_size for file in group) for group in (files, saved))
    return own / 1e6, (total - own) / 1e6


async def _asked(url: str, graph: str) -> None:
    question = {"messages": [{"role": "user", "content": QUESTION}]}
    async with get_client(url=url) as client:
        thread = await client.threads.create()
        await client.runs.wait(
            thread["thread_id"], graph, input=question, config={"recursion_limit": 10_000}
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 200)
