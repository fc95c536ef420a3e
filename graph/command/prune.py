"""`diagnose prune`: sessions and records that nobody has touched for a while are removed."""

import re
from datetime import UTC, datetime, timedelta

from rich import filesize
from rich.table import Table
from rich.text import Text

from graph.command.terminal import Terminal
from graph.command.usage import UsageError
from graph.settings import Settings
from graph.stores.records import make_store, records_place
from graph.stores.retention import prune_records, prune_sessions
from graph.stores.sessions import open_sessions, sessions_place
from tools.invocations import StoreUnavailable

_HOURS = {"h": 1, "d": 24}


def read_age(text: str) -> timedelta:
    """`30d` or `12h`. Raises `UsageError`."""
    given = re.fullmatch(r"([0-9]{1,5})([dh])", text)
    if given is None:
        raise UsageError("--older-than: a number of days or hours, such as 30d or 12h")
    return timedelta(hours=int(given[1]) * _HOURS[given[2]])


async def prune(settings: Settings, older_than: str, terminal: Terminal) -> int:
    """Removes what is older, and says how much; exit code 0, or 2 where the records do not answer.

    Raises `SessionStoreUnavailable`.
    """
    before = datetime.now(UTC) - read_age(older_than)
    table = Table(box=None, pad_edge=False, show_header=False)
    async with open_sessions(settings) as sessions:
        removed = await prune_sessions(sessions, before)
        left = f"{removed} removed, {filesize.decimal(await sessions.size_bytes())} left"
        table.add_row(Text("sessions", "bold"), Text(left), Text(sessions_place(settings)))
    store, code = make_store(settings), 0
    try:
        done = Text(f"{await prune_records(store, before)} removed")
    except StoreUnavailable as unavailable:
        done, code = Text(unavailable.code, "red"), 2
    finally:
        await store.aclose()
    table.add_row(Text("records", "bold"), done, Text(records_place(settings)))
    terminal.out.print(table)
    return code
