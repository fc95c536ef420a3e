"""Large folders: short cuts answer as the whole index does, segments outlive the process."""

import asyncio
import gzip
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.sources.logs_folder import LogFolder
from tools.evidence import ToolFailure
from tools.logs import IndexLimits, sighting
from tools.logs.builder import SegmentBuilder
from tools.logs.index import LogIndex
from tools.logs.reader import TextFile

SMALL_STEPS = IndexLimits(segment_bytes=1, at_once_bytes=0)
"""Every file is large, and nothing is read before it is asked for."""
WHOLE = IndexLimits(segment_bytes=1 << 40)
"""Every file is small: the whole index, before any answer."""
DAY = "2025-01-01"


def noise(service: str, lines: int = 9_000) -> str:
    return "".join(
        f"{DAY}T{n // 3600:02d}:{n // 60 % 60:02d}:{n % 60:02d}Z INFO {service} ran {n}, all fine\n"
        for n in range(lines)
    )


def write(folder: LogFolder) -> None:
    trace = f"{DAY}T04:00:00Z ERROR pay broke\n" + "\tat a.B.c(B.java:1)\n" * 9_000
    folder.write("pay.log", noise("a") + trace + "Caused by: LeaseFence\n" + noise("b", 50))
    folder.write(
        "pay-gateway.log", noise("pay-gateway") + f"{DAY}T05:00:00Z WARN leasefence near\n"
    )
    folder.write(
        "old/cart.log.gz", gzip.compress((noise("c") + f"{DAY}T06:00Z LEASEFENCE\n").encode())
    )
    folder.write("full.log", f"{DAY}T07:00:00Z ｌｅａｓｅｆｅｎｃｅ wide\n" + noise("w"))
    folder.write("ansi.log", f"{DAY}T07:00:00Z lease\x1b[31mfence red\n" + noise("r"))
    folder.write("wide.log", f"\ufeff{DAY}T08:00:00Z leasefence in two bytes\n".encode("utf-16-le"))
    folder.write("blank.log", f"{DAY}T09:00:00Z  lease   fence apart\n" + noise("s"))
    folder.write("json.jsonl", f'{{"time":"{DAY}T09:30:00Z","service":"pay","msg":"LeaseFence"}}\n')
    folder.write("shell.log", f"{DAY}T09:40:00Z c:\\lease\\fence\n" + noise("s"))
    folder.write("edge.jsonl", f'{{"time":"{DAY}T09:50:00Z","service":"gateway","msg":"idle"}}\n')
    folder.write("core.log", bytes(range(256)) * 64)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> LogFolder:
    folder = LogFolder(tmp_path_factory.mktemp("logs"), limits=WHOLE)
    write(folder)
    return folder


@pytest.mark.parametrize(
    "question",
    [
        {"keyword": "leasefence"}, {"keyword": "lease fence"}, {"keyword": "c:\\lease"},
        {"keyword": "ｌｅａｓｅｆｅｎｃｅ", "level": "WARN"}, {"keyword": "nowhere"},
        {"keyword": "leasefence", "service": "pay"}, {"keyword": "leasefence", "service": "PAY"},
        {"keyword": "leasefence", "service": "gateway"}, {"keyword": "all fine"},
        {"service": "pay", "level": "ERROR"}, {"service": "pay", "start": f"{DAY}T09:00Z"},
        {"service": "cart", "start": f"{DAY}T05:00Z"}, {"service": "core"},
        {"keyword": "leasefence", "service": "cor"}, {"start": f"{DAY}T07:00Z"},
    ],
    ids=str,
)  # fmt: skip
async def test_a_short_cut_answers_as_the_whole_index_does(
    whole: LogFolder, question: dict[str, Any]
) -> None:
    cold = LogFolder(whole.root, limits=SMALL_STEPS)
    assert await cold.ask(**question) == await whole.ask(**question)
    cold.tool.close()


async def test_a_keyword_across_two_blocks_is_sighted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sighting, "_BLOCK_BYTES", 16)
    folder = LogFolder(tmp_path, limits=SMALL_STEPS)
    for shift in range(20):
        folder.write(f"{shift}.log", f"{DAY}T00:00:00Z {'x' * shift} leasefence\n")
    assert (await folder.ask(keyword="leasefence", limit=50)).total == 20
    folder.tool.close()


def wait_until_built(index: LogIndex) -> None:
    for _ in range(600):
        index.look()
        if not index.unread:
            return
        time.sleep(0.05)
    raise AssertionError("not built")


async def test_the_rest_is_read_behind_an_answer(tmp_path: Path) -> None:
    folder = LogFolder(tmp_path, limits=SMALL_STEPS)
    write(folder)
    first = await folder.ask(keyword="leasefence")
    wait_until_built(folder.tool._index)
    assert folder.tool._index.left_out()["not read yet"] == 0
    assert await folder.ask(keyword="leasefence") == first
    folder.tool.close()


def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    read: list[str] = []
    blocks = TextFile.blocks
    monkeypatch.setattr(
        TextFile, "blocks", lambda self: read.append(self._path.name) or blocks(self)
    )
    return read


async def test_segments_outlive_the_tool_and_only_changed_files_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept"
    limits = IndexLimits(segment_bytes=1)
    folder = LogFolder(tmp_path / "logs", limits=limits, index_folder=kept)
    folder.write("a.log", f"{DAY}T00:00:00Z one\n")
    folder.write("b.log", f"{DAY}T00:00:01Z one\n")
    read = reads(monkeypatch)
    assert await folder.sources(keyword="one") == ["a.log:1", "b.log:1"]
    assert sorted(read) == ["a.log", "b.log"]
    folder.tool.close()
    again = LogFolder(tmp_path / "logs", limits=limits, index_folder=kept)
    assert await again.sources(keyword="one") == ["a.log:1", "b.log:1"]
    assert len(read) == 2
    again.write("b.log", f"{DAY}T00:00:01Z two\n{DAY}T00:00:02Z two\n")
    (tmp_path / "logs" / "a.log").unlink()
    assert await again.sources(keyword="one") == []
    assert await again.sources(keyword="two") == ["b.log:1", "b.log:2"]
    assert sorted(read) == ["a.log", "b.log", "b.log"]
    again.tool.close()


async def test_another_zone_or_folder_has_segments_of_its_own(tmp_path: Path) -> None:
    limits = IndexLimits(segment_bytes=1)
    for zone, hour in (("UTC", 10), ("Asia/Shanghai", 2)):
        folder = LogFolder(
            tmp_path / "logs", limits=limits, index_folder=tmp_path / "kept", default_timezone=zone
        )
        folder.write("a.log", "2025-01-01 10:00:00 one\n")
        at = f"{DAY}T{hour:02d}:00:00Z"
        assert await folder.sources(service="a", start=at, end=at) == ["a.log:1"]
        folder.tool.close()


async def test_old_segments_are_swept_and_damaged_ones_are_a_failure_by_name(
    tmp_path: Path,
) -> None:
    kept = tmp_path / "kept"
    limits = IndexLimits(segment_bytes=1)
    folder = LogFolder(tmp_path / "logs", limits=limits, index_folder=kept)
    folder.write("a.log", f"{DAY}T00:00:00Z one\n")
    await folder.ask(keyword="one")
    (old,) = kept.rglob("*.parquet")
    assert kept.stat().st_mode & 0o077 == 0
    os.utime(old, (1, 1))
    folder.write("a.log", f"{DAY}T00:00:00Z one two\n")
    assert await folder.sources(keyword="two") == ["a.log:1"]
    (new,) = kept.rglob("*.parquet")
    assert new != old
    new.write_bytes(b"PAR1 no more PAR1")
    with pytest.raises(ToolFailure, match="LOG_ENGINE_FAILED"):
        await folder.ask(keyword="two")
    assert await folder.sources(keyword="two") == ["a.log:1"]
    folder.tool.close()


async def test_what_breaks_the_building_is_told_to_who_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = LogFolder(tmp_path, limits=IndexLimits(segment_bytes=1))
    folder.write("a.log", f"{DAY}T00:00:00Z one\n")

    def full(*_: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(SegmentBuilder, "_build", full)
        with pytest.raises(ToolFailure, match="LOG_SOURCE_UNAVAILABLE"):
            await folder.ask(keyword="one")
    assert await folder.sources(keyword="one") == ["a.log:1"]
    folder.tool.close()


def test_a_process_ends_while_its_index_is_being_built(tmp_path: Path) -> None:
    folder = LogFolder(tmp_path)
    for number in range(40):
        folder.write(f"{number}.log", noise(str(number), 20_000))
    folder.write("a.log", f"{DAY}T00:00:00Z needle\n")
    script = (
        "import asyncio\nfrom pathlib import Path\nfrom tools.logs import *\n"
        f"tool = LogsTool(Path({str(tmp_path)!r}))\n"
        "result = asyncio.run(tool.search(LogsQuery(keyword='needle')))\n"
        "assert [e.source for e in result.evidence] == ['a.log:1']\n"
        "assert tool._index.unread\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_search_that_nobody_waits_for_leaves_the_next_one_whole(tmp_path: Path) -> None:
    folder = LogFolder(tmp_path, limits=SMALL_STEPS)
    write(folder)

    async def cancelled() -> None:
        search = asyncio.ensure_future(folder.ask(keyword="leasefence"))
        await asyncio.sleep(0.01)
        search.cancel()
        await asyncio.wait({search})

    asyncio.run(cancelled())
    whole = asyncio.run(LogFolder(tmp_path, limits=WHOLE).ask(keyword="leasefence"))
    assert asyncio.run(folder.ask(keyword="leasefence")) == whole
    folder.tool.close()
