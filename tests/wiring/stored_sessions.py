"""Writes sessions as this version stores them, for the versions after it to meet.

    python -m tests.wiring.stored_sessions

A whole run in `finished`, one that broke off after its first query in `cut-off`. Kept as SQL, one
file for each of the two stores, named by the schema version.
"""

import asyncio
import gzip
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from graph.sessions import run_config
from graph.state import SCHEMA_VERSION
from tests.wiring.stepwise import QUESTION, HeldAt
from tests.wiring.stepwise_sessions import cut_off, opened, watch

FOLDER = Path(__file__).parent / "stored"
STORES = ("sessions.sqlite", "records.sqlite")


async def write(folder: Path) -> None:
    """The two runs, in files in `folder`."""
    async with opened(folder) as graph:
        await watch(graph, QUESTION, run_config("finished", "run-finished"))
    gate = HeldAt("agent 2")
    async with opened(folder, gate) as graph:
        await cut_off(graph, run_config("cut-off", "run-cut-off"), gate)


def keep(folder: Path, version: int) -> None:
    """The files in `folder` as compressed SQL."""
    FOLDER.mkdir(exist_ok=True)
    for name in STORES:
        with closing(sqlite3.connect(folder / name)) as database:
            dump = "\n".join(database.iterdump()).encode()
        (FOLDER / f"{version}-{name}.gz").write_bytes(gzip.compress(dump, mtime=0))


def restore(version: int, folder: Path) -> None:
    """The kept files of a version, as a data folder has them."""
    for name in STORES:
        script = gzip.decompress((FOLDER / f"{version}-{name}.gz").read_bytes()).decode()
        with closing(sqlite3.connect(folder / name)) as database:
            database.executescript(script)


def versions() -> list[int]:
    """The kept ones."""
    return sorted(int(file.name.partition("-")[0]) for file in FOLDER.glob(f"*-{STORES[0]}.gz"))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(write(Path(folder)))
        keep(Path(folder), SCHEMA_VERSION)


if __name__ == "__main__":
    main()
