"""A recorded run's trace: one line an event, from which each round's why can be read (C7.4)."""

import json

from rich.table import Table
from rich.text import Text

from graph.app import open_graph
from graph.command.narration import sentence
from graph.command.terminal import Terminal
from graph.command.usage import UsageError
from graph.sessions import RecordedRun, find_run
from graph.settings import Settings
from graph.stores.sessions import sessions_place


async def show_trace(settings: Settings, run_id: str, terminal: Terminal, *, as_json: bool) -> int:
    """Prints the events of a run. Raises `UsageError` for a run that is not recorded here."""
    async with open_graph(settings) as graph:
        run = await find_run(graph, run_id)
    if run is None:
        raise UsageError(f"RUN_ID: no run {run_id} is recorded in {sessions_place(settings)}")
    if as_json:
        terminal.write(json.dumps(run.trace, ensure_ascii=False, indent=2))
        return 0
    unfinished = "" if run.finished else "   (unfinished; --resume takes it up)"
    terminal.out.print(Text(f"run {run.run_id}   session {run.session_id}{unfinished}", "bold"))
    terminal.out.print(_table(run))
    return 0


def _table(run: RecordedRun) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("seq", justify="right")
    table.add_column("at (UTC)", no_wrap=True)
    table.add_column("event", no_wrap=True)
    table.add_column("what happened, and why the run went on or stopped", overflow="fold")
    for event in run.trace:
        clock = event["at"].partition("T")[2].partition("+")[0]
        cells = (str(event["seq"]), clock, event["type"], sentence(event, run.language))
        table.add_row(*(Text(cell) for cell in cells))
    return table
