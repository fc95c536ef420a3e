"""What the checkpoints of gaining rounds cost in PostgreSQL, beside a plain message list.

    python -m tests.benchmarks.postgres_bytes [rounds]

Starts a server of its own. Rows are what the saver hands over, without keys and indexes: JSON as
text, blobs as they are. Columns are the same values as the server stores them, JSON in its own
binary form (`pg_column_size`); relations are the tables with keys, indexes and free space.
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

ROWS = {
    "checkpoints": "SELECT sum(length(checkpoint::text) + length(metadata::text)) FROM checkpoints",
    "blobs": "SELECT sum(octet_length(blob)) FROM checkpoint_blobs",
    "writes": "SELECT sum(octet_length(blob)) FROM checkpoint_writes",
}
SIZES = {
    "columns": "SELECT (SELECT sum(pg_column_size(checkpoint) + pg_column_size(metadata))"
    " FROM checkpoints) + (SELECT sum(pg_column_size(blob)) FROM checkpoint_blobs)"
    " + (SELECT sum(pg_column_size(blob)) FROM checkpoint_writes)",
    "relations": "SELECT sum(pg_total_relation_size(name::regclass)) FROM"
    " unnest(ARRAY['checkpoints', 'checkpoint_blobs', 'checkpoint_writes']) AS name",
}


def main(rounds: int) -> None:
    """One table."""
    try:
        with running_postgres() as server:
            rows = [
                [name, size, *asyncio.run(_megabytes(server, name, size))]
                for name in (LOOP, OURS)
                for size in (rounds // 4, rounds // 2, rounds)
            ]
    except pytest.skip.Exception as missing:
        sys.exit(str(missing))
    show("Gaining rounds of 1 KB in PostgreSQL", ("MB", "rounds", *ROWS, "rows", *SIZES), rows)


async def _megabytes(server: PostgresServer, name: str, rounds: int) -> list[float]:
    url, store = server.new_database(), SqliteInvocationStore(":memory:")
    async with open_postgres_sessions(SecretStr(url)) as sessions:
        make: Any = {LOOP: lambda: loop(rounds, sessions.saver)}
        make[OURS] = lambda: ours(rounds, sessions.saver, store)
        await make[name]().run("thread-1")
    await store.aclose()
    async with await psycopg.AsyncConnection.connect(url) as connection:
        rows, sizes = [
            [await _answer(connection, query) for query in queries.values()]
            for queries in (ROWS, SIZES)
        ]
    return [size / 1e6 for size in (*rows, sum(rows), *sizes)]


async def _answer(connection: psycopg.AsyncConnection[Any], query: str) -> int:
    answer = await (await connection.execute(query)).fetchone()
    return int(answer[0] or 0) if answer else 0


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 200)
