"""Counts by kind of message: words that vary fall together, decisive ones do not disappear."""

from pathlib import Path

import pytest

from tests.sources.logs_folder import LogFolder, summary_of
from tools.logs import kinds

USERS = [f"{first}{last}" for first in "abcdefgh" for last in ("nna", "ert", "ike")]


def at(second: int, text: str) -> str:
    return f"2025-01-01T10:{second // 60:02d}:{second % 60:02d}Z {text}\n"


@pytest.fixture
def folder(tmp_path: Path) -> LogFolder:
    return LogFolder(tmp_path)


# one decisive line among thousands of noisy ones
async def test_names_in_messages_do_not_hide_the_rare_one(folder: LogFolder) -> None:
    noise = "".join(
        at(n, f"WARN login failed for user {USERS[n % 24]} from host 10.0.0.{n % 9}")
        for n in range(3_000)
    )
    folder.write("api.log", noise + at(1_500, "WARN certificate of the issuer changed"))
    text = summary_of(await folder.ask(service="api"))
    assert "2 kinds of message; rarest:" in text
    assert "1x first 2025-01-01T10:25:00Z WARN: certificate of the issuer changed" in text
    assert "3000x first 2025-01-01T10:00:00Z WARN: login failed for user <*> from host <*>" in text


async def test_short_messages_and_levels_stay_apart(folder: LogFolder) -> None:
    lines = ["INFO pool ready", "INFO pool exhausted", "ERROR pool ready", "INFO pool: closed"]
    folder.write("api.log", "".join(at(n, lines[n % 4]) for n in range(100)))
    text = summary_of(await folder.ask(service="api", limit=1))
    assert "4 kinds of message" in text
    for line in lines:
        level, message = line.split(" ", 1)
        assert f"{level}: {message}" in text


async def test_what_is_too_much_to_mine_is_counted_all_the_same(
    folder: LogFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinds, "_MOST_MINED", 10)
    names = [f"{word}{USERS[n]}" for n, word in enumerate("abcdefghijklmnopqrst")]
    lines = [f"INFO {names[n % 20]} came in by the back door {n}" for n in range(200)]
    folder.write("api.log", "".join(at(n, line) for n, line in enumerate(lines)))
    text = summary_of(await folder.ask(service="api", limit=1))
    assert "20 kinds of message" in text
