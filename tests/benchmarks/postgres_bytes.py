"""What the checkpoints of gaining rounds cost in PostgreSQL, beside a plain message list.

    python -m tests.benchmarks.postgres_bytes [rounds]

Starts a server of its own. Rows are counted without keys and indexes; the relations are the tables
with both, after the server has compressed what it compresses.
"""

import asyncio
import sys
from typing import Any

import psycopg
import pytest
from pydantic import SecretStr

from graph.stores.postgres_sessions import open_postgres_sessions
from tests.benchmarks.contenders import LOOP, OURS, loop, ours
from tests.benchmarks.table import show
from tests.stores.postgres_server import PostgresServer, running_postgres
from tools import SqliteInvocationStore

PARTS = {
    "checkpoints": "SELECT sum(length(checkpoint::text) + length(metadata::text)) FROM checkpoints",
    "blobs": "SELECT sum(octet_length(blob)) FROM checkpoint_blobs",
    "writes": "SELECT sum(octet_length(blob)) FROM checkpoint_writes",
    "relations": "SELECT sum(pg_total_relation_size(name::regclass)) FROM"
    " unnest(ARRAY['checkpoints', 'checkpoint_blobs', 'checkpoint_writes']) AS name",
}


def main(rounds: int) -> None:
    """One table."""
    try:
        with running_postgres() as server:
            rows = [
                [name, size, *(bytes_ / 1e6 for bytes_ in asyncio.run(_stored(server, name, size)))]
                for name in (LOOP, OURS)
                for size in (rounds // 4, rounds // 2, rounds)
            ]
    except pytest.skip.Exception as missing:
        sys.exit(str(missing))
    show("Gaining rounds of 1 KB in PostgreSQL", ("MB", "rounds", *PARTS), rows)


async def _stored(server: PostgresServer, name: str, rounds: int) -> list[int]:
    url, store = server.new_database(), SqliteInvocationStore(":memory:")
    async with open_postgres_sessions(SecretStr(url)) as sessions:
        make: Any = {LOOP: lambda: loop(rounds, sessions.saver)}
        make[OURS] = lambda: ours(rounds, sessions.saver, store)
        await make[name]().run("thread-1")
    await store.aclose()
    async with await psycopg.AsyncConnection.connect(url) as connection:
        answers = [await (await connection.execute(query)).fetchone() for query in PARTS.values()]
    return [int(answer[0] or 0) for answer in answers if answer]


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 200)
