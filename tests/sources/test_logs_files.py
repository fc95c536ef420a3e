"""What files can do to a reader: encodings, controls, gzip, binaries, links, strange names."""

import gzip
import os
import random
from pathlib import Path

import pytest

from tests.sources.logs_folder import LogFolder
from tools.logs import IndexLimits
from tools.logs.reader import ReadLimits

AT = "2025-01-01T00:00:00Z"
PACKED = gzip.compress(f"{AT} a\n".encode())


@pytest.fixture
def folder(tmp_path: Path) -> LogFolder:
    return LogFolder(tmp_path / "logs")


@pytest.mark.parametrize(
    ("name", "content", "texts"),
    [
        ("crlf", f"{AT} a\r\n{AT} b\r\n".encode(), [f"{AT} a", f"{AT} b"]),
        ("lone cr", f"{AT} old mac\r{AT} end\r\n".encode(), [f"{AT} old mac\\x0d{AT} end"]),
        ("bad utf-8", f"{AT} bad ".encode() + b"\xff\xfe\xc3(", [f"{AT} bad \\xff\\xfe\\xc3("]),
        ("cut utf-8", f"{AT} cut ".encode() + b"\xe4\xb8", [f"{AT} cut \\xe4\\xb8"]),
        ("bom", f"\ufeff{AT} a\n\ufeff{AT} b".encode(), [f"{AT} a", f"{AT} b"]),
        ("utf-16 le", f"\ufeff{AT} é\r\n".encode("utf-16-le"), [f"{AT} é"]),
        ("utf-16 be", f"\ufeff{AT} é\r\n".encode("utf-16-be"), [f"{AT} é"]),
        ("ansi", f"{AT} \x1b[31mERR\x1b[0m \x1b]0;title\x07red\x1b[2J".encode(), [f"{AT} ERR red"]),
        ("controls", f"{AT} back\b\bh\x00nul\x1b".encode(), [f"{AT} back\\x08\\x08h\\x00nul\\x1b"]),
        ("tab stays", f"{AT}\ta\tb".encode(), [f"{AT}\ta\tb"]),
        ("no last newline", f"{AT} a".encode(), [f"{AT} a"]),
        ("gzip", gzip.compress(f"{AT} a\n{AT} b\n".encode()), [f"{AT} a", f"{AT} b"]),
        ("two members", PACKED + PACKED, [f"{AT} a", f"{AT} a"]),
        ("emoji", f"{AT} 💥 👩‍💻 \u202eright\u202c".encode(), [f"{AT} 💥 👩‍💻 \u202eright\u202c"]),
    ],
)  # fmt: skip
async def test_bytes_become_visible_text(
    folder: LogFolder, name: str, content: bytes, texts: list[str]
) -> None:
    folder.write(f"{name}.log", content)
    result = await folder.ask(service=name)
    assert [item.text for item in result.evidence] == texts
    assert not result.truncated


async def test_colours_do_not_hide_a_level(folder: LogFolder) -> None:
    folder.write("ansi.log", f"{AT} \x1b[31mERROR\x1b[0m red\n{AT} \x1b[2J\x1b[HERROR cleared\n")
    assert await folder.sources(service="ansi", level="ERROR") == ["ansi.log:1", "ansi.log:2"]


async def test_gzip_is_told_by_its_bytes_not_its_name(folder: LogFolder) -> None:
    folder.write("plain.log.gz", f"{AT} plain\n")
    folder.write("packed.log", gzip.compress(f"{AT} packed\n".encode()))
    assert await folder.texts(service="plain") == [f"{AT} plain"]
    assert await folder.texts(service="packed") == [f"{AT} packed"]


async def test_a_gzip_bomb_is_cut_and_said_to_be(tmp_path: Path) -> None:
    limits = IndexLimits(read=ReadLimits(gzip_expansion=10, gzip_allowance_bytes=10_000))
    folder = LogFolder(tmp_path, limits=limits)
    folder.write("bomb.log.gz", gzip.compress(f"{AT} INFO again\n".encode() * 200_000))
    result = await folder.ask(service="bomb", limit=1)
    assert result.truncated
    assert result.total is not None
    assert result.total < 10_000
    assert "bomb.log.gz: cut at the size limit" in result.evidence[0].text
    assert "1 cut at the size limit" in folder.tool.description


async def test_a_damaged_gzip_gives_what_it_holds_and_says_so(folder: LogFolder) -> None:
    lines = "".join(f"{AT} line {random.Random(n).random()}\n" for n in range(5_000))
    folder.write("half.log.gz", gzip.compress(lines.encode())[:-20_000])
    folder.write("torn.log.gz", b"\x1f\x8bnot gzip at all")
    result = await folder.ask(service="half", limit=1)
    assert result.truncated
    assert result.total is not None
    assert 0 < result.total < 5_000
    torn = await folder.ask(service="torn")
    assert (torn.evidence, torn.total, torn.truncated) == ([], 0, True)


async def test_a_binary_file_is_not_read_and_said_not_to_be(folder: LogFolder) -> None:
    folder.write("core.log", bytes(range(256)) * 64)
    folder.write("zeros.log.gz", gzip.compress(bytes(1_000_000)))
    folder.write("app.log", f"{AT} fine\n")
    for name in ("core", "zeros"):
        result = await folder.ask(service=name)
        assert (result.evidence, result.total, result.truncated) == ([], 0, True)
    assert not (await folder.ask(keyword="fine")).truncated
    assert "2 binary, not read" in folder.tool.description


async def test_a_line_beyond_the_limit_is_cut_and_the_next_one_is_right(tmp_path: Path) -> None:
    folder = LogFolder(tmp_path, limits=IndexLimits(read=ReadLimits(max_line_chars=1_000)))
    folder.write("long.log", f"{AT} a\n{AT} {'x' * 9_000_000}\n{AT} c\n")
    result = await folder.ask(service="long")
    assert [item.source for item in result.evidence[1:]] == [
        "long.log:1",
        "long.log:2",
        "long.log:3",
    ]
    assert result.truncated


async def test_links_pipes_and_hidden_files_are_passed_over(
    folder: LogFolder, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.log"
    secret.write_text(f"{AT} outside\n")
    folder.write("sub/app.log", f"{AT} inside\n")
    folder.write(".hidden.log", f"{AT} hidden\n")
    (folder.root / "escape.log").symlink_to(secret)
    (folder.root / "escape-dir").symlink_to(tmp_path)
    (folder.root / "again.log").symlink_to(folder.root / "sub/app.log")
    (folder.root / "sub/loop").symlink_to(folder.root)
    (folder.root / "dangling.log").symlink_to("missing.log")
    os.mkfifo(folder.root / "pipe.log")
    assert await folder.sources(start="2000-01-01") == ["sub/app.log:1"]
    for outside in ("outside", "hidden"):
        assert await folder.sources(keyword=outside) == []
    assert "5 link" in folder.tool.description
    assert "1 not a regular file" in folder.tool.description


async def test_a_folder_link_as_root_is_read(folder: LogFolder, tmp_path: Path) -> None:
    folder.write("app.log", f"{AT} inside\n")
    (tmp_path / "link").symlink_to(folder.root)
    assert await LogFolder(tmp_path / "link").sources(keyword="inside") == ["app.log:1"]


@pytest.mark.parametrize(
    "name",
    [
        "weird name 日志 #1;$(x).log",
        "'; DROP TABLE lines; --.log",
        "-rf.log",
        "a\\b.log",
        "%s{0}.log",
        "*.log",
    ],
)
async def test_strange_names_are_read_and_cited_exactly(folder: LogFolder, name: str) -> None:
    folder.write(name, f"{AT} ERROR strange\n")
    assert await folder.sources(keyword="strange") == [f"{name}:1"]


async def test_names_that_are_no_text_are_cited_escaped(folder: LogFolder) -> None:
    for name in (b"bad\xff.log", b"new\nline.log", b"es\x1b[31mc.log", b"x" * 250 + b".log"):
        folder.write(os.fsdecode(name), f"{AT} strange\n")
    sources = sorted(await folder.sources(keyword="strange"))
    assert sources[:3] == ["bad\\xff.log:1", "esc.log:1", "new\\x0aline.log:1"]
    assert sources[3].endswith("x.log:1")
    assert len(sources[3]) < 300


async def test_names_asked_for_never_touch_a_path(folder: LogFolder, tmp_path: Path) -> None:
    (tmp_path / "passwd.log").write_text(f"{AT} outside\n")
    folder.write("app.log", f"{AT} inside\n")
    for service in (
        "../passwd",
        str(tmp_path / "passwd.log"),
        "..%2fpasswd",
        "*",
        "~",
        "passwd\x00",
    ):
        assert (await folder.ask(service=service)).total == 0


async def test_thousands_of_small_files_are_one_search(folder: LogFolder) -> None:
    for number in range(1_200):
        folder.write(f"many/svc-{number:04d}.log", f"{AT} {'needle' if number == 777 else 'hay'}\n")
    assert await folder.sources(keyword="needle") == ["many/svc-0777.log:1"]
    assert await folder.sources(service="svc-0778") == ["many/svc-0778.log:1"]


async def test_files_beyond_the_limit_are_left_out_and_said_to_be(tmp_path: Path) -> None:
    folder = LogFolder(tmp_path, limits=IndexLimits(max_files=2))
    for name in ("a", "b", "c"):
        folder.write(f"{name}.log", f"{AT} x\n")
    result = await folder.ask(keyword="x")
    assert (result.total, result.truncated) == (2, True)
    assert "1 over the file limit" in result.evidence[0].text
    assert "1 over the file limit" in folder.tool.description
