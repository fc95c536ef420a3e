"""The index beside what happens to files, processes and disks: rebuilt, shared, never by halves."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.sources.logs_folder import LogFolder
from tools.logs import IndexLimits

DAY = "2025-01-01"
ON_DISK = IndexLimits(segment_bytes=1)
FIRST = f"{DAY}T00:00:00Z ERROR one\n{DAY}T00:00:01Z ERROR two\n"


def appended(path: Path) -> None:
    with path.open("a") as file:
        file.write(f"{DAY}T00:00:02Z ERROR three\n")


def rewritten_in_place(path: Path) -> None:
    """Same size, same inode, and the time of writing set back."""
    before = path.stat()
    with path.open("r+") as file:
        file.write(FIRST.replace("one", "six"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def replaced(path: Path) -> None:
    """Same size, same time of writing."""
    before = path.stat()
    other = path.with_suffix(".new")
    other.write_text(FIRST.replace("two", "ten"))
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)


def truncated(path: Path) -> None:
    os.truncate(path, len(FIRST) // 2)


def rotated(path: Path) -> None:
    path.rename(path.with_name("app.log.1"))
    path.write_text(f"{DAY}T00:01:00Z ERROR new\n")


@pytest.mark.parametrize("limits", [IndexLimits(), ON_DISK], ids=["memory", "disk"])
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (appended, ["one", "two", "three"]), (rewritten_in_place, ["six", "two"]),
        (replaced, ["one", "ten"]), (truncated, ["one"]), (rotated, ["one", "two", "new"]),
    ],
)  # fmt: skip
async def test_a_changed_file_is_read_again(
    tmp_path: Path, limits: IndexLimits, change: Callable[[Path], None], words: list[str]
) -> None:
    folder = LogFolder(tmp_path / "logs", limits=limits, index_folder=tmp_path / "kept")
    path = folder.write("app.log", FIRST)
    assert len(await folder.texts(service="app")) == 2
    change(path)
    assert [text.split()[-1] for text in await folder.texts(service="app")] == words
    again = LogFolder(tmp_path / "logs", limits=limits, index_folder=tmp_path / "kept")
    assert [text.split()[-1] for text in await again.texts(service="app")] == words
    folder.tool.close()
    again.tool.close()


def written(tmp_path: Path, files: int, lines: int) -> LogFolder:
    folder = LogFolder(tmp_path / "logs", limits=ON_DISK, index_folder=tmp_path / "kept")
    for number in range(files):
        noise = (f"{DAY}T00:00:00Z INFO noise {n} of {number}, all fine\n" for n in range(lines))
        folder.write(f"app-{number}.log", "".join(noise) + f"{DAY}T01:00:00Z ERROR needle\n")
    return folder


def asker(tmp_path: Path, before: str = "", **limits: Any) -> list[str]:
    """A process that builds the index, and prints how many needles it finds."""
    return [sys.executable, "-c", (
        f"{before}\nimport asyncio\nfrom pathlib import Path\nfrom tools.logs import *\n"
        f"limits = IndexLimits(segment_bytes=1, **{limits!r})\n"
        f"tool = LogsTool(Path({str(tmp_path / 'logs')!r}), limits=limits,\n"
        f"                index_folder=Path({str(tmp_path / 'kept')!r}))\n"
        "query = LogsQuery(level='ERROR', start='2025-01-01')\n"
        "print(asyncio.run(tool.search(query)).total)\ntool.close()\n"
    )]  # fmt: skip


def drafts(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "kept").rglob("*.draft"))


def test_processes_that_build_at_once_share_one_index(tmp_path: Path) -> None:
    folder = written(tmp_path, files=8, lines=2_000)
    running = [
        subprocess.Popen(asker(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    told = [process.communicate(timeout=120) for process in running]
    assert told == [(b"8\n", b"")] * 3
    assert len(list((tmp_path / "kept").rglob("*.parquet"))) == 8
    assert drafts(tmp_path) == []
    folder.tool.close()


def test_a_process_killed_in_mid_build_leaves_nothing_that_misleads(tmp_path: Path) -> None:
    folder = written(tmp_path, files=6, lines=20_000)
    process = subprocess.Popen(asker(tmp_path), stdout=subprocess.PIPE)
    for _ in range(2_000):
        if list((tmp_path / "kept").rglob("*.parquet")) or process.poll() is not None:
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    out, _ = process.communicate(timeout=60)
    assert out == b""
    assert asyncio.run(folder.ask(level="ERROR", start=DAY)).total == 6
    folder.tool.close()


def test_a_full_disk_costs_the_index_not_the_answer(tmp_path: Path) -> None:
    folder = written(tmp_path, files=2, lines=20_000)
    # a file that may not grow further stands for a disk that is full
    limited = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (4_096, 4_096))"
    done = subprocess.run(asker(tmp_path, limited), capture_output=True, timeout=120)
    assert (done.stdout, done.stderr) == (b"2\n", b"")
    assert list((tmp_path / "kept").rglob("*.parquet")) == drafts(tmp_path) == []
    done = subprocess.run(asker(tmp_path), capture_output=True, timeout=120)
    assert (done.stdout, done.stderr) == (b"2\n", b"")
    assert len(list((tmp_path / "kept").rglob("*.parquet"))) == 2
    folder.tool.close()
