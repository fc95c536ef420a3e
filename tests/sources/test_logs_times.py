"""When an event happened: spellings of time, zones, missing years, and times that are none."""

from datetime import datetime
from pathlib import Path

import pytest

from tests.sources.logs_folder import LogFolder, events, summary_of
from tools.logs.zones import find_zone

SPELLED = [
    ("2025-03-04T10:00:00Z INFO a", "2025-03-04T10:00:00"),
    ("2025-03-04T18:00:05+08:00 ERROR b", "2025-03-04T10:00:05"),
    ("2025-03-04T05:00:15-0500 ERROR b", "2025-03-04T10:00:15"),
    ("2025-03-04 10:00:10.5+00 LOG: statement", "2025-03-04T10:00:10.500000"),
    ("2025-03-04T10:00:25 +0000 INFO f", "2025-03-04T10:00:25"),
    ("2025-03-04 10:00:10 -15 items left", "2025-03-04T10:00:10"),
    ("2025-03-04T10:00:30.123456789Z INFO g", "2025-03-04T10:00:30.123456"),
    ("2025-03-04 10:00:00,678 ERROR [main] log4j", "2025-03-04T10:00:00.678000"),
    ("2025-03-04 10:00 INFO no seconds", "2025-03-04T10:00:00"),
    ("[2025-03-04 10:00:00] local.ERROR: laravel", "2025-03-04T10:00:00"),
    ("2025/03/04 10:00:00 [error] 12#0: nginx", "2025-03-04T10:00:00"),
    ("2016-09-28 04:30:30, Info  CBS  windows", "2016-09-28T04:30:30"),
    ("[INFO] 2025-03-04 10:00:00 level first", "2025-03-04T10:00:00"),
    ("app.log.1.2017-05-16_13:53:08 2017-05-16 00:00:00.008 1 INFO", "2017-05-16T00:00:00.008000"),
    ("web_1  | 2025-03-04T10:00:00Z INFO compose", "2025-03-04T10:00:00"),
    ("<165>1 2003-10-11T22:14:15.003Z host app 1 - - rfc5424", "2003-10-11T22:14:15.003000"),
    ("20250304T100000Z ERROR basic", "2025-03-04T10:00:00"),
    ("[Sun Dec 04 04:47:44 2005] [error] apache", "2005-12-04T04:47:44"),
    ("[Sun Dec 04 04:47:44.123456 2005] [core:error] apache", "2005-12-04T04:47:44.123456"),
    ("Tue Mar  4 10:00:20 CST 2025 ERROR ambiguous zone", "2025-03-04T10:00:20"),
    ('10.0.0.1 - bob [10/Oct/2000:13:55:36 -0700] "GET /" 200 1', "2000-10-10T20:55:36"),
    ("17/06/09 20:10:40 INFO spark", "2017-06-09T20:10:40"),
    ("20171223-22:15:29:606|Step|1|x", "2017-12-23T22:15:29.606000"),
    ("20171223-23:1:5:7|Step|1|unpadded", "2017-12-23T23:01:05.007000"),
    ("081109 203615 148 INFO dfs", "2008-11-09T20:36:15"),
    ("- 1117838570 2005.06.03 R02 2005-06-03-15.42.50.67 R02 RAS", "2005-06-03T22:42:50"),
    ("134681 node-246 unix.hw state 1077804742 1 Component", "2004-02-26T14:12:22"),
    ("1735689600 ERROR seconds", "2025-01-01T00:00:00"),
    ("1735689600123 ERROR millis", "2025-01-01T00:00:00.123000"),
    ("1735689600123456 ERROR micros", "2025-01-01T00:00:00.123456"),
    ("1735689600123456789 ERROR nanos", "2025-01-01T00:00:00.123456"),
    ("2025年3月4日 下午2:00:05 错误 中文", "2025-03-04T14:00:05"),
    ("ts=2025-05-22T06:30:34Z caller=main.go:1 msg=x", "2025-05-22T06:30:34"),
    ('level=info time="2025-05-22 06:30:34" msg=x', "2025-05-22T06:30:34"),
    ('{"timestamp":"2025-01-01T00:00:00Z","message":"x"}', "2025-01-01T00:00:00"),
    ('{"ts":1735689604.5,"msg":"x"}', "2025-01-01T00:00:04.500000"),
    ('{"Time":"2025-01-01T00:00:00Z","msg":"other case"}', "2025-01-01T00:00:00"),
    ('{"time":"2025-01-01T00:00:00Z","msg":"broken"', "2025-01-01T00:00:00"),
    ('{"log":"17:00:00.1 INFO x\\n","stream":"stdout","time":"2025-01-01T09:00:00.2Z"}',
     "2025-01-01T09:00:00.200000"),
    ("2025-01-01T09:00:00.2Z stderr F 17:00:00 ERROR cri", "2025-01-01T09:00:00.200000"),
    ("2025-11-02T01:30:00 America/New_York ERROR twice", "2025-11-02T06:30:00"),
]  # fmt: skip

NO_INSTANT = [
    "2016-12-31T23:59:60Z ERROR leap second",
    "2025-01-01T24:00:00Z ERROR hour 24",
    "2025-02-29T00:00:00Z ERROR no such day",
    "2025-03-09T02:30:00 America/New_York ERROR inside the DST gap",
    "03/04/2025 10:00:00 ERROR day or month first",
    "2025-W10-2 ERROR ISO week",
    "9999-01-01T00:00:00Z ERROR out of range",
    "10:00:00.123 ERROR a clock and no date",
    "ERROR no time at all",
]


@pytest.fixture
def folder(tmp_path: Path) -> LogFolder:
    return LogFolder(tmp_path)


async def test_every_known_spelling_is_an_instant_in_utc(folder: LogFolder) -> None:
    folder.write("all.log", "\n".join(line for line, _ in SPELLED))
    found = await folder.instants("all.log")
    wanted = [(line, datetime.fromisoformat(utc)) for line, utc in SPELLED]
    assert list(zip((line for line, _ in SPELLED), found, strict=True)) == wanted


async def test_a_time_that_does_not_exist_is_no_time_and_keeps_its_line(folder: LogFolder) -> None:
    folder.write("odd.log", "\n".join(NO_INSTANT))
    assert await folder.instants("odd.log") == [None] * len(NO_INSTANT)
    assert await folder.texts(service="odd") == NO_INSTANT
    result = await folder.ask(service="odd", start="1900-01-01")
    assert (result.evidence, result.total) == ([], 0)


async def test_times_without_zone_are_read_in_the_default_zone(tmp_path: Path) -> None:
    lines = "2025-03-04 18:00:00 no zone\n2025-03-04T10:00:00Z zone\n"
    for zone in ("Asia/Shanghai", "+08:00"):
        folder = LogFolder(tmp_path, default_timezone=zone)
        folder.write("app.log", lines)
        assert await folder.instants("app.log") == [datetime(2025, 3, 4, 10)] * 2
    with pytest.raises(ValueError, match="default_timezone"):
        LogFolder(tmp_path, default_timezone="CST")


async def test_a_default_zone_with_summer_time_has_its_gaps(tmp_path: Path) -> None:
    folder = LogFolder(tmp_path, default_timezone="America/New_York")
    folder.write("app.log", "2025-03-09 02:30:00 gap\n2025-07-01 08:00:00 summer\n")
    assert await folder.instants("app.log") == [None, datetime(2025, 7, 1, 12)]


# C5.3: the same instants, however they are asked for
async def test_a_window_is_the_same_in_any_zone(folder: LogFolder) -> None:
    folder.write("app.log", "".join(f"2025-03-04T10:0{m}:00Z tick {m}\n" for m in range(6)))
    asked = [
        {"start": "2025-03-04T10:01:00Z", "end": "2025-03-04T10:03:00Z"},
        {"start": "2025-03-04T18:01:00+08:00", "end": "2025-03-04T18:03:00+08:00"},
        {"start": "2025-03-04T18:01", "end": "2025-03-04T18:03", "timezone": "Asia/Shanghai"},
        {"start": "2025-03-04T18:01", "end": "2025-03-04T18:03", "timezone": "UTC+8"},
    ]
    wanted = ["app.log:2", "app.log:3", "app.log:4"]
    assert [await folder.sources(**window) for window in asked] == [wanted] * len(asked)


async def test_a_window_holds_both_times_that_a_clock_shows_twice(tmp_path: Path) -> None:
    folder = LogFolder(tmp_path, default_timezone="America/New_York")
    hours = ["05:30:00Z summer", "06:30:00Z winter"]
    lines = [*(f"2025-11-02T{hour}" for hour in hours), "2025-11-02 01:30:00 either"]
    folder.write("app.log", "\n".join(lines))
    window = {"start": "2025-11-02T01:15", "end": "2025-11-02T01:45", "timezone": "US/Eastern"}
    assert sorted(await folder.texts(**window)) == sorted(lines)
    # from 02:15 to 02:45 there was no such time: the window is not turned round by that
    gap = {"start": "2025-03-09T02:15", "end": "2025-03-09T02:45", "timezone": "US/Eastern"}
    assert (await folder.ask(**gap)).total == 0


async def test_a_date_as_end_is_its_whole_day(folder: LogFolder) -> None:
    folder.write("app.log", "2025-03-04T23:59:59Z in\n2025-03-05T00:00:00Z out\n")
    assert await folder.sources(start="2025-03-04", end="2025-03-04") == ["app.log:1"]


async def test_lines_out_of_order_are_all_found_and_shown_in_time_order(folder: LogFolder) -> None:
    folder.write("app.log", "".join(f"2025-01-01T00:0{m}:00Z tick {m}\n" for m in (5, 1, 9, 3)))
    window = {"start": "2025-01-01T00:03:00Z", "end": "2025-01-01T00:05:00Z"}
    assert await folder.sources(**window) == ["app.log:4", "app.log:1"]


YEARLESS = (
    "Dec 10 10:54:27 LabSZ sshd[1]: Failed password\n"
    "Dec 31 23:59:59 LabSZ sshd[1]: last of the year\n"
    "Jan  1 00:00:01 LabSZ sshd[1]: first of the year\n"
    "Feb 29 12:00:00 LabSZ sshd[1]: leap day\n"
)


@pytest.mark.parametrize(
    ("window", "lines"),
    [
        ({"start": "2024-12-10T10:54", "end": "2024-12-10T11:05"}, ["1"]),
        ({"start": "1999-12-10T10:54", "end": "1999-12-10T11:05"}, ["1"]),
        ({"start": "2024-12-31T23:00", "end": "2025-01-01T01:00"}, ["2", "3"]),
        ({"start": "2024-02-28", "end": "2024-03-01"}, ["4"]),
        ({"start": "2025-02-28", "end": "2025-03-01"}, []),
        ({"start": "2025-12-31"}, ["2"]),
        ({"end": "2025-01-01"}, ["3"]),
    ],
)
async def test_a_line_without_year_takes_the_windows_and_that_is_said(
    folder: LogFolder, window: dict[str, str], lines: list[str]
) -> None:
    folder.write("auth.log", YEARLESS)
    result = await folder.ask(service="sshd", **window)
    assert [item.source for item in events(result)] == [f"auth.log:{line}" for line in lines]
    assert ("carry no year" in summary_of(result)) == bool(lines)
    assert "kinds of message" not in summary_of(result)
    assert result.total == len(lines)


async def test_without_a_window_no_year_is_assumed(folder: LogFolder) -> None:
    folder.write("auth.log", YEARLESS)
    result = await folder.ask(service="sshd", limit=1)
    assert "matches from ? to ?" in summary_of(result)


async def test_other_spellings_without_year(folder: LogFolder) -> None:
    folder.write(
        "device.log",
        "03-17 16:13:38.811  1702  2395 D WindowManager: logcat\n"
        "E0317 16:13:39.000000  1 main.go:10] klog\n"
        "[03.17 16:13:40] chrome.exe - proxifier\n",
    )
    window = {"start": "2020-03-17T16:13:38", "end": "2020-03-17T16:13:40"}
    assert len(await folder.sources(service="device", **window)) == 3


@pytest.mark.parametrize("name", ["UTC", "z", "GMT", "+08:00", "UTC-3", "Asia/Shanghai", "EST"])
def test_zone_names_and_offsets_are_known(name: str) -> None:
    assert find_zone(name) is not None


@pytest.mark.parametrize(
    "name",
    [
        "CST",
        "北京时间",
        "+25:00",
        "",
        "../../etc/passwd",
        "/etc/passwd",
        "Asia",
        "Asia/\x00",
        "A" * 5000,
    ],
)
def test_what_is_no_zone_is_unknown(name: str) -> None:
    assert find_zone(name) is None
