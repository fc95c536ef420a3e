"""How severe a line is: where a level is read, what words mean, and what is not a level."""

from pathlib import Path

import pytest

from tests.sources.logs_folder import LogFolder
from tools.logs.levels import Level

AT = "2025-01-01T00:00:00Z"
STATED = [
    (f"{AT} error lower case", "ERROR"),
    (f"{AT} [E] short", "ERROR"),
    (f"{AT} <3> syslog severity", "ERROR"),
    (f"{AT} SEVERE java.util.logging", "FATAL"),
    (f"{AT} FATAL worst", "FATAL"),
    (f"{AT} CRITICAL python", "FATAL"),
    (f"{AT} [ALERT] down", "FATAL"),
    (f"{AT} INFO no ERROR here", "INFO"),
    (f"{AT} 错误 中文级别", "ERROR"),
    (f"{AT} level=warning logfmt", "WARN"),
    (f"{AT} [main] WARN  c.e.X - slow", "WARN"),
    (f"{AT} - root - ERROR - python", "ERROR"),
    (f"{AT} [notice] nginx", "INFO"),
    (f"{AT} Info   CBS  windows", "INFO"),
    (f"{AT} TRACE fine", "DEBUG"),
    ("[Sun Dec 04 04:47:44.1 2005] [core:error] apache", "ERROR"),
    ("03-17 16:13:38.811  1702  2395 W Tag: logcat", "WARN"),
    ("F0317 16:13:39.000000  1 main.go:10] klog", "FATAL"),
    ("<34>Oct 11 22:14:15 host su: severity 2", "FATAL"),
    ("Dec 10 10:54:27 LabSZ sshd[1]: error: Received disconnect", "ERROR"),
    (f'ts={AT} caller=x Error="Unable to connect"', "ERROR"),
    (f"ts={AT} err=refused", "ERROR"),
    ('{"time":"2025-01-01T00:00:00Z","level":50}', "ERROR"),
    ('{"time":"2025-01-01T00:00:00Z","severity":4}', "WARN"),
    ('{"time":"2025-01-01T00:00:00Z","LEVEL":"Error"}', "ERROR"),
    ('{"time":"2025-01-01T00:00:00Z","log":{"level":"warn"}}', "WARN"),
    ('{"time":"2025-01-01T00:00:00Z","msg":"[ERROR] inside"}', "ERROR"),
    ('{"time":"2025-01-01T00:00:00Z","error":"refused"}', "ERROR"),
]  # fmt: skip
UNSTATED = [
    f"{AT} ERRORS=0 summary line",
    f"{AT} the last error was fixed",
    f"{AT} error_rate=0 NO_ERROR",
    f"ts={AT} method=Health err=null",
    f"ts={AT} method=Health err=<nil> took=1ms",
    '{"time":"2025-01-01T00:00:00Z","error":null,"msg":"ok"}',
    '{"time":"2025-01-01T00:00:00Z","level":"audit","msg":"ERROR"}',
    "Dec 10 10:54:27 LabSZ sshd[1]: Failed password for root",
]


@pytest.fixture
def folder(tmp_path: Path) -> LogFolder:
    folder = LogFolder(tmp_path, max_result_bytes=100_000)
    folder.write("stated.log", "\n".join(line for line, _ in STATED))
    folder.write("unstated.log", "\n".join(UNSTATED))
    return folder


async def test_a_level_filter_means_at_least(folder: LogFolder) -> None:
    for level in Level:
        wanted = {line for line, stated in STATED if Level[stated] >= level}
        assert set(await folder.texts(service="stated", level=level.name, limit=100)) == wanted


async def test_what_states_no_level_matches_no_level_filter(folder: LogFolder) -> None:
    assert await folder.texts(service="unstated", level="DEBUG") == []
    assert sorted(await folder.texts(service="unstated")) == sorted(UNSTATED)


@pytest.mark.parametrize("asked", ["warning", "WARN", " Warn "])
async def test_a_synonym_is_the_level_it_means(folder: LogFolder, asked: str) -> None:
    assert folder.tool.scope(folder.tool.Input.model_validate({"level": asked}))["level"] == "WARN"
