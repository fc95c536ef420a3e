"""`--alert FILE|-`: a webhook payload as the question, or beside one."""

import json
import sys
from pathlib import Path
from typing import BinaryIO

from graph.alerts import AlertRefused, alert_question
from graph.command.usage import UsageError
from release.vocabulary import Language
from tools.masking import Masker

MAX_ALERT_BYTES = 1_048_576


def read_alert(place: str, words: str, language: Language | None) -> tuple[object, str]:
    """The payload that `place` holds, a file or `-` for standard input, and the question it asks.
    Raises `UsageError`, one line that names the wrong field and repeats nothing of it."""
    payload = _payload(place)
    try:
        return payload, alert_question(payload, words, Masker(""), language=language)
    except AlertRefused as refused:
        field = f"field {refused.field}" if refused.field else "it"
        raise UsageError(
            f"--alert: {field} is missing or not as the webhooks of Alertmanager (version 4) and"
            f" Grafana (version 1) have it ({refused.refusal})"
        ) from None


def _payload(place: str) -> object:
    try:
        if place == "-":
            data = _bounded(sys.stdin.buffer)
        else:
            with Path(place).open("rb") as file:
                data = _bounded(file)
    except OSError:
        raise UsageError("--alert: the file cannot be read; name a file, or - for stdin") from None
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise UsageError("--alert: not JSON; give the webhook's body as it came") from None


def _bounded(stream: BinaryIO) -> bytes:
    data = stream.read(MAX_ALERT_BYTES + 1)
    if len(data) > MAX_ALERT_BYTES:
        raise UsageError("--alert: longer than 1 MiB; give the alerts in smaller groups")
    return data
