"""The real program on awkward streams: closed pipes, odd encodings, a terminal with and without
colours."""

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.wiring.command_process import PATIENCE_SECONDS, Command
from tests.wiring.stepwise import QUESTION

NO_CONTEXT = "诊断切换企业失败的问题"


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Command]:
    started = Command(tmp_path)
    yield started
    started.end()


def test_a_reader_that_goes_away_costs_nothing_but_the_output(command: Command) -> None:
    process = command.start("--session", "s", QUESTION, stepwise=True)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stderr.close()
    assert process.wait(timeout=PATIENCE_SECONDS) == 0
    code, _, err = command.run("--resume", "--session", "s")
    assert code == 2
    assert "no unfinished run" in err


@pytest.mark.parametrize("locale", [{"LANG": "C"}, {"PYTHONIOENCODING": "ascii"}])
def test_any_locale_gets_the_whole_answer(command: Command, locale: dict[str, str]) -> None:
    code, out, err = command.run("--json", NO_CONTEXT, **locale)
    assert (code, json.loads(out)["outcome"]) == (0, "FALLBACK"), err
    assert "Traceback" not in err
    code, out, err = command.run(NO_CONTEXT, **locale)
    assert code == 0
    assert "Traceback" not in err
    assert out.encode().isascii() == ("PYTHONIOENCODING" in locale)


def on_a_terminal(command: Command, *words: str, **more: str) -> str:
    """What a person's terminal of 80 columns is sent."""
    master, slave = pty.openpty()
    program = ["-c", "import graph.cli; graph.cli.main()"]
    process = subprocess.Popen(
        [sys.executable, *program, *words],
        env=command.environment(TERM="xterm-256color", COLUMNS="80", **more),
        cwd=command.folder,
        stdin=slave,
        stdout=slave,
        stderr=slave,
    )
    os.close(slave)
    sent = b""
    while True:
        try:
            piece = os.read(master, 65_536)
        except OSError:
            break
        if not piece:
            break
        sent += piece
    os.close(master)
    assert process.wait(timeout=PATIENCE_SECONDS) == 0
    return sent.decode()


def test_a_terminal_gets_colours_unless_they_are_not_wanted(command: Command) -> None:
    styled = on_a_terminal(command, NO_CONTEXT)
    assert "\x1b[1;35m" in styled
    assert "\x1b[?25h" in styled, "the cursor is shown again"
    for plain in (
        on_a_terminal(command, "--no-color", NO_CONTEXT),
        on_a_terminal(command, NO_CONTEXT, NO_COLOR="1"),
    ):
        # what remains moves the cursor for the live line: no style is set
        assert re.findall(r"\x1b\[[0-9;]*m", plain) == []
        assert "需要补充信息才能排查" in plain
