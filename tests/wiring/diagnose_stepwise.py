"""The `diagnose` program on the stepwise models and logs, as a process to be interrupted or killed.

HOLD_AT names the place where it waits for ever, in a thread that nothing interrupts; WAIT_AT one
where it waits until a file GO stands in its folder. Every place it passes is appended to
PLACES_FILE. ANSWER_SECONDS is what a session server has for an answer.
"""

import asyncio
import os
import threading
import time
from pathlib import Path

import graph.app
from graph.cli import main
from tests.wiring.stepwise import GatedLogs, stepwise_models


def note(place: str) -> None:
    with Path(os.environ["PLACES_FILE"]).open("a", encoding="utf-8") as places:
        places.write(f"{place}\n")


def wait_for_go() -> None:
    while not Path("GO").exists():
        time.sleep(0.02)


async def gate(place: str) -> None:
    note(place)
    if place == os.environ.get("HOLD_AT"):
        await asyncio.to_thread(threading.Event().wait)
    if place == os.environ.get("WAIT_AT"):
        await asyncio.to_thread(wait_for_go)


if "ANSWER_SECONDS" in os.environ:
    import graph.stores.postgres_connection as bounded

    bounded.ANSWER_SECONDS = float(os.environ["ANSWER_SECONDS"])
graph.app.make_models = lambda settings, environ: stepwise_models(gate)
graph.app.make_tools = lambda settings: [GatedLogs(gate)]
main()
