"""A first question about more than can be read at once: a part is answered, and said to be one."""

import time
from pathlib import Path

import pytest

from tests.sources.logs_folder import LogFolder, events, summary_of
from tools.evidence import ToolFailure
from tools.logs import IndexLimits

DAY = "2025-01-01"
PART = IndexLimits(segment_bytes=1, at_once_bytes=0, awaited_bytes=0, sighted_bytes=1)
"""Every file is large, and one piece of one file is looked at before the index is there."""


@pytest.fixture
def folder(tmp_path: Path) -> LogFolder:
    """Three hours of one service and one of another, a file each."""
    made = LogFolder(tmp_path, limits=PART)
    for hour in range(3):
        lines = [f"{DAY}T{hour:02d}:{n:02d}:00Z ERROR pay refused {n}\n" for n in range(30)]
        made.write(f"pay/pay-{hour}.log", "".join(lines))
    made.write("cart.log", f"{DAY}T03:00:00Z INFO cart idle\n")
    return made


def built(folder: LogFolder) -> None:
    for _ in range(600):
        folder.tool._index.look()
        if not folder.tool._index.unread:
            return
        time.sleep(0.05)
    raise AssertionError("not built")


@pytest.mark.parametrize(
    "scope", [{"keyword": "refused"}, {"service": "pay"}, {"start": DAY}], ids=str
)
async def test_a_part_says_that_it_is_one_until_the_index_is_there(
    folder: LogFolder, scope: dict[str, str]
) -> None:
    part = await folder.ask(**scope, limit=50)
    assert (part.truncated, len(events(part))) == (True, 30)
    assert summary_of(part).startswith("shown 30 of at least 30 matching events")
    assert "PARTIAL: " in summary_of(part)
    built(folder)
    whole = await folder.ask(**scope, limit=1)
    assert whole.total == (91 if "start" in scope else 90)
    assert "PARTIAL" not in summary_of(whole)
    assert f"shown 1 of {whole.total} matching events" in summary_of(whole)
    folder.tool.close()


@pytest.mark.parametrize("hour", range(3))
async def test_the_part_is_what_begins_last_before_the_windows_end(
    folder: LogFolder, hour: int
) -> None:
    window = {"start": f"{DAY}T{hour:02d}:00Z", "end": f"{DAY}T{hour:02d}:59Z"}
    part = await folder.ask(service="pay", level="ERROR", **window)
    assert part.total == 30
    assert all(e.source.startswith(f"pay/pay-{hour}.log:") for e in events(part))
    folder.tool.close()


# C6.3: nothing in a part is no empty result
@pytest.mark.parametrize(
    "scope", [{"service": "pay", "level": "FATAL"}, {"service": "pa", "start": DAY}], ids=str
)
async def test_nothing_in_a_part_is_told_to_come_back(
    folder: LogFolder, scope: dict[str, str]
) -> None:
    with pytest.raises(ToolFailure) as failure:
        await folder.ask(**scope)
    assert (failure.value.code, failure.value.retryable) == ("LOG_INDEX_BUILDING", True)
    built(folder)
    result = await folder.ask(**scope)
    assert (result.total, result.evidence, result.truncated) == (0, [], False)
    folder.tool.close()


async def test_a_keyword_of_a_service_not_named_exactly_stays_a_part(tmp_path: Path) -> None:
    folder = LogFolder(
        tmp_path, limits=IndexLimits(segment_bytes=1, at_once_bytes=0, awaited_bytes=0)
    )
    folder.write("a.jsonl", f'{{"time":"{DAY}T00:00Z","service":"pay-web","msg":"lease lost"}}\n')
    folder.write("b.jsonl", f'{{"time":"{DAY}T00:00Z","service":"pay","msg":"idle"}}\n')
    part = await folder.ask(service="pay", keyword="lease")
    assert (part.total, part.truncated) == (1, True)
    built(folder)
    assert (await folder.ask(service="pay", keyword="lease")).total == 0
    folder.tool.close()


async def test_what_is_kept_of_one_large_file_is_bounded(tmp_path: Path) -> None:
    folder = LogFolder(tmp_path, limits=PART)
    folder.write("a.log", f"{DAY}T00:00:00Z INFO all the same here\n" * 50_000)
    part = await folder.ask(keyword="the same")
    assert part.total is not None
    assert 0 < part.total < 25_000
    folder.tool.close()
