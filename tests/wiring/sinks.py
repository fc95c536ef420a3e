"""Every place a text of a run can turn up in, by name, for tests that plant marked texts."""

import json
import logging
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.fakes.bench import Bench

INPUT_CHANNELS = {"__start__": "messages", "__input__": "messages"}


def sinks(
    bench: Bench,
    state: dict[str, Any],
    *,
    records: Path,
    log: list[logging.LogRecord],
    printed: str,
) -> dict[str, str]:
    """Sink -> all that was found in it: state keys (state, updates, values and raw checkpoints
    together), `event NAME`, `message`, `checkpoint metadata`, `store`, `log`, `printed`, `repr`."""
    found: dict[str, list[str]] = defaultdict(list)
    for values in (state, *bench.values):
        _add(found, values)
    for update in bench.updates:
        for node_update in update.values():
            _add(found, node_update or {})
    for event in bench.events:
        found[f"event {event['event']}"].append(json.dumps(event["data"], ensure_ascii=False))
    _add_checkpoints(found, bench)
    found["message"].append(state["messages"][-1].text)
    found["store"] += [file.read_bytes().decode("utf-8", "replace") for file in records.iterdir()]
    found["log"] += [repr(vars(record)) + record.getMessage() for record in log]
    found["printed"].append(printed)
    found["repr"] += [repr(bench.graph), repr(bench.store), str(bench.graph.config)]
    return {sink: "\n".join(texts) for sink, texts in found.items()}


def where(text: str, found: dict[str, str]) -> set[str]:
    """The sinks that hold the text."""
    return {sink for sink, content in found.items() if text in content}


def _add(found: dict[str, list[str]], values: dict[str, Any]) -> None:
    for key, value in values.items():
        found[key].append(repr(value))


def _add_checkpoints(found: dict[str, list[str]], bench: Bench) -> None:
    """What the saver holds, as bytes: no projection can hide anything in it."""
    for written in bench.saver.writes.values():
        for _, channel, (_, data), _ in written.values():
            found[INPUT_CHANNELS.get(channel, channel)].append(data.decode("utf-8", "replace"))
    for (_, _, channel, _), (_, data) in bench.saver.blobs.items():
        found[INPUT_CHANNELS.get(channel, channel)].append(data.decode("utf-8", "replace"))
    for namespaces in bench.saver.storage.values():
        for checkpoints in namespaces.values():
            for (_, checkpoint), (_, metadata), _ in checkpoints.values():
                found["checkpoint"].append(checkpoint.decode("utf-8", "replace"))
                found["checkpoint metadata"].append(metadata.decode("utf-8", "replace"))
