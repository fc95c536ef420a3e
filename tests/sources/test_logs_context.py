"""The events around a match: at any level, citable, bounded, and never counted as matches."""

import json
from pathlib import Path

import pytest

from tests.sources.logs_folder import LogFolder, events, summary_of
from tools.logs import IndexLimits


def at(second: int, text: str) -> str:
    return f"2025-01-01T10:{second // 60:02d}:{second % 60:02d}Z {text}\n"


@pytest.fixture(params=[1, 1 << 40], ids=["on disk", "in memory"])
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> LogFolder:
    return LogFolder(tmp_path, limits=IndexLimits(segment_bytes=request.param))


CAUSE = at(1, "INFO flag fast-path switched on by rollout-bot") + at(2, "WARN pool shrunk to 1")


async def test_what_led_to_an_error_is_shown_beside_it(folder: LogFolder) -> None:
    folder.write(
        "api.log",
        at(0, "INFO far before") + CAUSE + at(3, "ERROR no connection\n\tat a.B.c(B.java:1)")
        + at(4, "INFO retried") + at(5, "INFO gave up") + at(6, "INFO far behind"),
    )  # fmt: skip
    result = await folder.ask(service="api", level="ERROR")
    assert [item.source for item in result.evidence] == [
        "api.log:2 (near line 4)",
        "api.log:3 (near line 4)",
        "api.log:4-5",
        "api.log:6 (near line 4)",
        "api.log:7 (near line 4)",
    ]
    assert "\n".join(item.text for item in result.evidence[:2]) + "\n" == CAUSE
    assert (result.total, result.truncated) == (1, False)


async def test_without_a_level_neighbours_are_shown_when_asked_for(folder: LogFolder) -> None:
    folder.write("api.log", at(0, "INFO a") + at(1, "INFO needle") + at(2, "INFO c"))
    folder.write("other.log", at(1, "INFO elsewhere"))
    assert len((await folder.ask(keyword="needle")).evidence) == 1
    result = await folder.ask(keyword="needle", around=1)
    assert [item.source for item in result.evidence] == [
        "api.log:1 (near line 2)",
        "api.log:2",
        "api.log:3 (near line 2)",
    ]
    assert result.total == 1


async def test_a_match_is_no_neighbour_and_a_neighbour_is_shown_once(folder: LogFolder) -> None:
    folder.write(
        "api.log",
        at(0, "ERROR a") + at(1, "INFO between") + at(2, "ERROR b") + at(3, "ERROR c"),
    )
    result = await folder.ask(service="api", level="ERROR", limit=2)
    assert [item.source for item in result.evidence[1:]].count("api.log:2 (near line 1)") == 1
    assert len(events(result)) == 2
    assert len(result.evidence) == 1 + 2 + 1
    assert (result.total, result.truncated) == (3, True)
    assert summary_of(result).startswith(
        "shown 2 of 3 matching events, in time order, with 1 more near them that do not match"
    )


async def test_a_window_does_not_hide_what_stands_beside_a_match(folder: LogFolder) -> None:
    folder.write("api.log", CAUSE + at(30, "ERROR no connection"))
    result = await folder.ask(service="api", level="ERROR", start="2025-01-01T10:00:30Z")
    assert [item.source for item in result.evidence][:2] == [
        "api.log:1 (near line 3)",
        "api.log:2 (near line 3)",
    ]


# C4: bounded in bytes and items
@pytest.mark.parametrize("max_bytes", [4_500, 7_168])
async def test_neighbours_leave_matches_their_room(tmp_path: Path, max_bytes: int) -> None:
    folder = LogFolder(tmp_path, max_result_bytes=max_bytes)
    folder.write(
        "big.log",
        "".join(
            at(n, f"{'ERROR' if n % 5 == 2 else 'INFO'} {n} " + "汉" * 900) for n in range(200)
        ),
    )
    result = await folder.ask(service="big", level="ERROR", limit=100, around=10)
    view = [{"id": "e100", "source": e.source, "text": e.text} for e in result.evidence]
    assert len(json.dumps(view, ensure_ascii=False).encode()) <= max_bytes + 50
    assert len(result.evidence) <= 100
    assert len(events(result)) >= 1
    assert len(result.evidence) > len(events(result)) + 1
    assert result.total == 40
