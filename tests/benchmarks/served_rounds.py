"""The plain loop and ours for a real server, for as many rounds as the file `rounds` says."""

import os
from pathlib import Path

from tests.benchmarks.contenders import loop, ours
from tools import SqliteInvocationStore

_ROUNDS = int((Path(os.environ["XDG_DATA_HOME"]).parent / "rounds").read_text(encoding="utf-8"))

message_list = loop(_ROUNDS).graph
diagnosis = ours(_ROUNDS, None, SqliteInvocationStore(":memory:")).graph
