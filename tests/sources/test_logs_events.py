"""What an event is: whole, with its header, and nothing lost between blocks, files or wrappers."""

import json
from pathlib import Path

import pytest

from tests.sources.logs_folder import LogFolder
from tools.logs import reader

TRACE = """\
2025-02-02 03:04:05,678 ERROR [exec-7] c.e.OrderController - create order failed
org.springframework.dao.DataAccessResourceFailureException: Unable to acquire connection
\tat com.example.OrderService.create(OrderService.java:91)
\t... 38 common frames omitted
Caused by: java.sql.SQLTransientConnectionException: HikariPool-1 - timed out
\tat com.zaxxer.hikari.pool.HikariPool.create(HikariPool.java:696)
2025-02-02 03:04:06,001 INFO  [scheduling-1] c.e.Heartbeat - ok
free text that goes on
2025-02-02 03:04:06,500 ERROR [exec-9] c.e.OrderController - create order failed
java.lang.NullPointerException: null
"""


@pytest.fixture
def folder(tmp_path: Path) -> LogFolder:
    return LogFolder(tmp_path)


async def test_a_stack_trace_stays_whole_under_its_header(folder: LogFolder) -> None:
    folder.write("orders.log", TRACE)
    lines = TRACE.splitlines()
    found = await folder.ask(service="orders", keyword="HikariPool-1")
    assert [(item.source, item.text) for item in found.evidence] == [
        ("orders.log:1-6", "\n".join(lines[:6]))
    ]
    errors = await folder.sources(service="orders", level="ERROR")
    assert errors == ["orders.log:1-6", "orders.log:9-10"]
    assert await folder.sources(service="orders", level="INFO") == [
        *errors[:1],
        "orders.log:7-8",
        *errors[1:],
    ]


# a time filter keeps the lines of an event together, and the event has its header's time
async def test_continuation_lines_have_their_headers_time(folder: LogFolder) -> None:
    folder.write("orders.log", TRACE)
    window = {"start": "2025-02-02T03:04:06", "end": "2025-02-02T03:04:06.4"}
    assert await folder.texts(**window) == ["\n".join(TRACE.splitlines()[6:8])]
    assert await folder.texts(keyword="NullPointer", **window) == []


async def test_lines_before_any_time_are_events_without_time(folder: LogFolder) -> None:
    folder.write("start.log", 'images: "./images/"\nGetwd: "/"\nts=2025-05-22T06:30:34Z msg=up\n')
    assert await folder.sources(service="start") == ["start.log:3", "start.log:1", "start.log:2"]
    assert await folder.sources(service="start", start="2020-01-01") == ["start.log:3"]
    assert await folder.sources(keyword="getwd") == ["start.log:2"]


async def test_a_file_without_times_is_one_event_a_line(folder: LogFolder) -> None:
    folder.write("worker.log", "Starting\nERROR cannot bind\nretrying\n  in 5 seconds\nretrying\n")
    assert await folder.sources(service="worker") == [
        "worker.log:1", "worker.log:2", "worker.log:3-4", "worker.log:5",
    ]  # fmt: skip


async def test_a_level_word_begins_an_event_even_without_a_time(folder: LogFolder) -> None:
    folder.write("app.log", "2025-01-01 00:00:00 INFO up\nERROR:root:no time\n  at x\nmore\n")
    assert await folder.sources(service="app") == ["app.log:1", "app.log:2-4"]
    assert await folder.sources(service="app", start="2025-01-01") == ["app.log:1"]


async def test_after_json_only_what_looks_like_a_continuation_is_one(folder: LogFolder) -> None:
    record = '{"ts":"2025-01-01T00:00:00Z","level":"error","msg":"boom"}'
    folder.write(
        "api.jsonl", f'{record}\nTraceback (most recent call last):\n  x\n["other"]\n"text"\n'
    )
    assert await folder.sources(service="api") == ["api.jsonl:1-3", "api.jsonl:4", "api.jsonl:5"]


async def test_docker_and_cri_lines_are_opened_and_their_traces_joined(folder: LogFolder) -> None:
    told = [
        "17:00:00.1 ERROR x.Y failed",
        "java.lang.IllegalStateException: no",
        "\tat x.Y(Y.java:1)",
        "17:00:01.0 INFO x.Y ok",
    ]
    docker = [
        json.dumps({"log": f"{line}\n", "stream": "stdout", "time": f"2025-01-01T09:00:0{n}.5Z"})
        for n, line in enumerate(told)
    ]
    cri = [f"2025-01-01T09:00:0{n}.500000000Z stderr F {line}" for n, line in enumerate(told)]
    folder.write("docker.log", "\n".join(docker))
    folder.write("cri.log", "\n".join(cri))
    assert await folder.texts(service="docker", level="ERROR") == ["\n".join(docker[:3])]
    assert await folder.sources(service="cri") == ["cri.log:1-3", "cri.log:4"]
    assert await folder.sources(service="cri", start="2025-01-01T09:00:03Z") == ["cri.log:4"]


async def test_json_inside_docker_json_is_read_too(folder: LogFolder) -> None:
    inner = '{"level":"warn","service":"cart","msg":"slow"}'
    folder.write(
        "c.log",
        json.dumps({"log": inner + "\n", "stream": "stdout", "time": "2025-01-01T00:00:00Z"}),
    )
    assert await folder.sources(service="cart", level="WARN", start="2025-01-01") == ["c.log:1"]


async def test_blank_lines_are_no_events_and_numbers_are_those_of_the_file(
    folder: LogFolder,
) -> None:
    folder.write("gaps.log", "\n\n2025-01-01T00:00:00Z a\n \n\t\n2025-01-01T00:00:01Z b\n\n")
    folder.write("blank.log", "\n" * 50)
    folder.write("empty.log", "")
    assert await folder.sources(service="gaps") == ["gaps.log:3", "gaps.log:6"]
    for name in ("blank", "empty"):
        result = await folder.ask(service=name)
        assert (result.evidence, result.total, result.truncated) == ([], 0, False)


async def test_blocks_of_a_large_file_join_without_a_seam(
    folder: LogFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write("orders.log", TRACE + "é漢😀 \x1b[31m2025\x1b[0m\r\n" * 3 + TRACE)
    whole = [(e.source, e.text) for e in (await folder.ask(service="orders")).evidence]
    for block_bytes in (1, 7, 64, 301):
        monkeypatch.setattr(reader, "_BLOCK_BYTES", block_bytes)
        again = LogFolder(folder.root)
        assert [(e.source, e.text) for e in (await again.ask(service="orders")).evidence] == whole


async def test_odd_json_keeps_every_line_and_says_what_does_not_parse(folder: LogFolder) -> None:
    folder.write(
        "odd.jsonl",
        '{"timestamp":"2025-01-01T00:00:01Z","level":"INFO","level":"ERROR","msg":"first wins"}\n'
        '{"timestamp":"2025-01-01T00:00:02Z","level":"ERROR","message":"no closing brace"\n'
        '{"timestamp":"2025-01-01T00:00:03Z","level":"ERROR","message":"\\ud800 lone surrogate"}\n'
        '{"timestamp":"2025-01-01T00:00:04Z","level":null,"service":null,"message":null}\n'
        '["not","an","object"]\n'
        '{"a":{"a":{"a":"deep"}}}\n',
    )
    result = await folder.ask(service="odd")
    assert result.total == 6
    assert "2 of the matches look like JSON but are not" in result.evidence[0].text
    assert await folder.sources(level="ERROR", service="odd") == ["odd.jsonl:2", "odd.jsonl:3"]
