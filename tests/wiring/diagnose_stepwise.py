"""The `diagnose` program on the stepwise models and logs, as a process to be interrupted or killed.

HOLD_AT names the place where it waits for ever, in a thread that nothing interrupts. Every place it
passes is appended to PLACES_FILE.
"""

import asyncio
import os
import threading
from pathlib import Path

import graph.app
from graph.cli import main
from tests.wiring.stepwise import GatedLogs, stepwise_models


def note(place: str) -> None:
    with Path(os.environ["PLACES_FILE"]).open("a", encoding="utf-8") as places:
        places.write(f"{place}\n")


async def gate(place: str) -> None:
    note(place)
    if place == os.environ.get("HOLD_AT"):
        await asyncio.to_thread(threading.Event().wait)


graph.app.make_models = lambda settings, environ: stepwise_models(gate)
graph.app.make_tools = lambda settings: [GatedLogs(gate)]
main()
