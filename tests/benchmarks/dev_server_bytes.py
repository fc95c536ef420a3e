"""What the dev server keeps of gaining rounds in `.langgraph_api`, beside a plain message list.

    python -m tests.benchmarks.dev_server_bytes [rounds]

Starts `langgraph dev` once a row. Values are what its saver was handed, without keys; metadata is
for the most part what the server says of itself in every checkpoint. Files are its saver's pickles
with keys and all else, then those of threads, runs and the server's own store.
"""

import asyncio
import json
import pickle
import sys
import tempfile
from pathlib import Path

from langgraph_sdk import get_client

from tests.benchmarks.contenders import LOOP, OURS
from tests.benchmarks.rounds import QUESTION
from tests.benchmarks.table import show
from tests.wiring.dev_server import PROGRAM, ROOT, running

GRAPHS = {LOOP: "message_list", OURS: "diagnosis"}
PARTS = ("checkpoints", "metadata", "blobs", "writes")
SAVED = ".langgraph_checkpoint."


def main(rounds: int) -> None:
    """One table."""
    if PROGRAM is None:
        sys.exit("the langgraph command is not installed")
    rows: list[list[object]] = []
    for name, graph in GRAPHS.items():
        for size in (rounds // 4, rounds // 2, rounds):
            with tempfile.TemporaryDirectory() as folder:
                rows.append([name, size, *_megabytes(Path(folder), graph, size)])
    header = ("MB", "rounds", *PARTS, "values", "saver's files", "other files")
    show("Gaining rounds of 1 KB on the dev server", header, rows)


def _megabytes(folder: Path, graph: str, rounds: int) -> list[float]:
    (folder / "rounds").write_text(str(rounds), encoding="utf-8")
    served = {graph: f"tests.benchmarks.served_rounds:{graph}"}
    config = folder / "langgraph.json"
    config.write_text(json.dumps({"dependencies": [str(ROOT)], "graphs": served}), "utf-8")
    with running(folder, config) as server:
        asyncio.run(_asked(server.url, graph))
    values = _values(folder / ".langgraph_api" / SAVED)
    files = {file.name: file.stat().st_size for file in (folder / ".langgraph_api").iterdir()}
    saved = sum(size for name, size in files.items() if name.startswith(SAVED))
    sizes = (*values, sum(values), saved, sum(files.values()) - saved)
    return [size / 1e6 for size in sizes]


def _values(saved: Path) -> list[int]:
    """Bytes of the values by part, from the saver's three dicts."""
    threads, writes, blobs = (
        pickle.loads(saved.with_name(f"{saved.name}{number}.pckl").read_bytes())
        for number in (1, 2, 3)
    )
    stored = [
        checkpoint
        for namespaces in threads.values()
        for checkpoints in namespaces.values()
        for checkpoint in checkpoints.values()
    ]
    return [
        sum(len(checkpoint[1]) for checkpoint, _, _ in stored),
        sum(len(metadata[1]) for _, metadata, _ in stored),
        sum(len(blob[1]) for blob in blobs.values()),
        sum(len(value[1]) for of_one in writes.values() for _, _, value, _ in of_one.values()),
    ]


async def _asked(url: str, graph: str) -> None:
    question = {"messages": [{"role": "user", "content": QUESTION}]}
    async with get_client(url=url) as client:
        thread = await client.threads.create()
        await client.runs.wait(
            thread["thread_id"], graph, input=question, config={"recursion_limit": 10_000}
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 200)
