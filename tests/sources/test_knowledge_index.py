"""The index on disk: private, versioned, followed by content."""

import hashlib
import os
import sqlite3
import stat
from pathlib import Path

import pytest

from tests.sources.broker_documents import (
    broker_folder,
    found,
    index_files,
    recorded_parses,
    recorded_reads,
)
from tools.knowledge import index as index_module
from tools.knowledge import index_file as index_file_module
from tools.knowledge import library as library_module
from tools.knowledge.library import KnowledgeLibrary


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return broker_folder(tmp_path)


@pytest.fixture
def index_folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "knowledge"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    return recorded_reads(monkeypatch)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    return recorded_parses(monkeypatch)


def test_opening_again_reads_no_file(folder: Path, index_folder: Path, read: list[str]) -> None:
    built = KnowledgeLibrary(folder, index_folder).search("broker", limit=5)
    assert len(read) == 3
    assert KnowledgeLibrary(folder, index_folder).search("broker", limit=5) == built
    assert len(read) == 3


def test_a_later_process_follows_what_changed(
    folder: Path, index_folder: Path, read: list[str], parsed: list[str]
) -> None:
    KnowledgeLibrary(folder, index_folder).refresh()
    read.clear()
    parsed.clear()
    (folder / "a.md").unlink()
    os.utime(folder / "b.md", ns=(1, 1))  # a new time on the same content
    (folder / "c.md").write_text("# Queue\nThe queue grows.\n")
    (folder / "d.md").write_text("# Broker d\n")
    library = KnowledgeLibrary(folder, index_folder)
    assert found(library, "broker") == ["b.md", "d.md"]
    assert found(library, "queue") == ["c.md"]
    assert read == ["b.md", "c.md", "d.md"]
    assert parsed == ["# Queue\nThe queue grows.\n", "# Broker d\n"]
    assert library.refresh().titles == ("Broker b", "Queue", "Broker d")


def test_nothing_of_a_replaced_text_is_found_any_more(folder: Path, index_folder: Path) -> None:
    library = KnowledgeLibrary(folder, index_folder)
    assert found(library, "ax") == ["a.md"]
    for word in ("volume", "inode", "mount"):
        (folder / "a.md").write_text(f"# Disk\nThe {word} fills.\n")
        assert found(library, word) == ["a.md"]
    assert found(library, "ax") == found(library, "volume") == found(library, "inode") == []
    with sqlite3.connect(index_files(index_folder)[0]) as connection:
        connection.execute("CREATE VIRTUAL TABLE temp.kept USING fts5vocab (main, terms, row)")
        kept = {term for (term,) in connection.execute("SELECT term FROM kept")}
    connection.close()
    assert {"mount", "bx"} <= kept
    assert not kept & {"ax", "volum", "inod"}


def test_a_file_that_is_no_text_is_read_once(
    folder: Path, index_folder: Path, read: list[str]
) -> None:
    (folder / "d.md").write_bytes(b"\xff\xfe broker")
    library = KnowledgeLibrary(folder, index_folder)
    assert [library.refresh().skipped for _ in range(2)] == [1, 1]
    assert read.count("d.md") == 1
    (folder / "d.md").write_text("broker, in UTF-8 by now")
    assert "d.md" in found(library, "broker")


def test_the_index_is_readable_by_its_owner_only(folder: Path, index_folder: Path) -> None:
    library = KnowledgeLibrary(folder, index_folder)
    library.refresh()
    kept = list(index_folder.iterdir())
    assert {path.suffix for path in kept} >= {".sqlite", ".sqlite-wal"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}
    assert stat.S_IMODE(index_folder.stat().st_mode) == 0o700


def test_without_an_index_folder_nothing_is_left_behind(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("SQLITE_TMPDIR", str(temporary))
    monkeypatch.chdir(temporary)
    assert len(found(KnowledgeLibrary(folder), "broker")) == 3
    assert list(temporary.iterdir()) == []


def test_every_folder_has_an_index_of_its_own(folder: Path, index_folder: Path) -> None:
    other = folder.parent / "other"
    other.mkdir()
    (other / "z.md").write_text("# Broker z\n")
    assert len(found(KnowledgeLibrary(folder, index_folder), "broker")) == 3
    assert found(KnowledgeLibrary(other, index_folder), "broker") == ["z.md"]
    linked = folder.parent / "linked"
    linked.symlink_to(folder)
    assert len(found(KnowledgeLibrary(linked, index_folder), "broker")) == 3
    assert len(index_files(index_folder)) == 2


def test_an_index_of_another_version_is_made_anew_and_removed(
    folder: Path, index_folder: Path, parsed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old = KnowledgeLibrary(folder, index_folder)
    old.refresh()
    (before,) = index_files(index_folder)
    monkeypatch.setattr(index_file_module, "INDEX_VERSION", index_file_module.INDEX_VERSION + 1)
    assert len(found(KnowledgeLibrary(folder, index_folder), "broker")) == 3
    assert len(parsed) == 6
    assert before not in index_files(index_folder)
    # a process of the old version that still runs keeps what it has open
    assert len(found(old, "broker")) == 3


def test_what_is_indexed_changes_only_with_its_version() -> None:
    """Fails when sections or terms come out differently: raise INDEX_VERSION, then mend the digest.

    Otherwise an index on disk would go on holding what an older release made of the same files.
    """
    source = (
        "---\ntitle: Redis 连接数\n---\n# 现象\n\nERR max number of clients, see [guide](x.md)\n\n"
        "## KubePodNotReady\n\n| code | meaning |\n|---|---|\n| E1 | 磁盘满了 |\n\n<!-- no -->\n"
    )
    document = library_module.parse_document(source)
    rows = [
        (section, index_module._terms_of("runbooks/redis.md", str(document.title), section))
        for section in document.sections
    ]
    digest = hashlib.sha256(repr((index_module._SCHEMA, rows)).encode()).hexdigest()[:16]
    assert (index_file_module.INDEX_VERSION, digest) == (1, "32ba64f5919c4215")


def test_a_changed_file_that_cannot_be_read_is_not_found_until_it_can(
    folder: Path, index_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = KnowledgeLibrary(folder, index_folder)
    library.refresh()
    (folder / "a.md").write_text("# Broker, changed\n")
    with monkeypatch.context() as patch:
        patch.setattr(library_module, "read_file", lambda *_: None)
        assert found(library, "broker") == ["b.md", "c.md"]
        assert library.refresh().skipped == 1
    assert len(found(library, "broker")) == 3
