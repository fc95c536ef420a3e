"""The index on disk: private, followed by content, shared by processes, made anew when broken."""

import hashlib
import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tools.evidence import ToolFailure
from tools.knowledge import index as index_module
from tools.knowledge import index_file as index_file_module
from tools.knowledge import library as library_module
from tools.knowledge.index import SectionIndex
from tools.knowledge.library import KnowledgeLibrary


def found(library: KnowledgeLibrary, query: str) -> list[str]:
    return sorted({hit.path for hit in library.search(query, limit=50)})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    documents = tmp_path / "documents"
    documents.mkdir()
    for name in ("a", "b", "c"):
        (documents / f"{name}.md").write_text(f"# Broker {name}\nThe broker {name}x restarts.\n")
    return documents


@pytest.fixture
def index_folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "knowledge"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were read, in order."""
    paths: list[str] = []
    read_file = library_module.read_file

    def recording(folder: Path, relative: str) -> bytes | None:
        paths.append(relative)
        return read_file(folder, relative)

    monkeypatch.setattr(library_module, "read_file", recording)
    return paths


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were parsed, in order."""
    texts: list[str] = []
    parse = library_module.parse_document

    def recording(source: str) -> object:
        texts.append(source)
        return parse(source)

    monkeypatch.setattr(library_module, "parse_document", recording)
    return texts


def index_files(index_folder: Path) -> list[Path]:
    return sorted(index_folder.glob("*.sqlite"))


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


@pytest.mark.parametrize("damage", ["no database", "torn"])
def test_a_corrupt_index_is_made_anew_at_once(
    folder: Path, index_folder: Path, damage: str
) -> None:
    for number in range(60):
        (folder / f"{number}.md").write_text(f"# Service {number}\n" + f"word{number} " * 200)
    before = KnowledgeLibrary(folder, index_folder).search("broker", limit=5)
    (path,) = index_files(index_folder)
    whole = path.read_bytes()
    torn = whole[:8192] + b"\x5a" * (len(whole) - 8192)
    path.write_bytes(b"this is no database\n" * 500 if damage == "no database" else torn)
    library = KnowledgeLibrary(folder, index_folder)
    assert library.search("broker", limit=5) == before
    assert library.refresh().sections == 63
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_index_made_anew_by_another_process_is_not_thrown_away(
    folder: Path, index_folder: Path
) -> None:
    file = index_file_module.IndexFile(index_folder, folder)
    file.make()
    aside = file.path.rename(file.path.with_suffix(".aside"))
    file.path.write_bytes(b"made by another process")
    file.discard()
    assert file.path.exists()
    aside.rename(file.path)
    file.discard()
    assert not file.path.exists()


def test_waiting_for_another_process_ends_with_a_code_of_its_own(
    folder: Path, index_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    KnowledgeLibrary(folder, index_folder).refresh()
    monkeypatch.setattr(index_module, "BUSY_SECONDS", 0.0)
    (path,) = index_files(index_folder)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    library = KnowledgeLibrary(folder, index_folder)
    (folder / "d.md").write_text("# Broker d\n")
    with pytest.raises(ToolFailure) as failure:
        library.search("broker", limit=5)
    assert (failure.value.code, failure.value.retryable) == ("KNOWLEDGE_INDEX_BUSY", True)
    holder.execute("ROLLBACK")
    holder.close()
    assert len(found(library, "broker")) == 4


def test_an_index_that_cannot_be_made_is_a_failure(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ToolFailure) as failure:
        KnowledgeLibrary(folder, tmp_path / "file" / "below").refresh()
    assert (failure.value.code, failure.value.retryable) == ("KNOWLEDGE_INDEX_FAILED", True)


def test_a_build_that_is_cut_off_keeps_what_was_done_and_is_finished_later(
    folder: Path, index_folder: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_module, "FILES_A_CHANGE", 1)
    replace = SectionIndex.replace

    def cut_off(self: SectionIndex, path: str, *rest: object) -> None:
        replace(self, path, *rest)  # type: ignore[arg-type]
        if path == "b.md":
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(SectionIndex, "replace", cut_off)
        with pytest.raises(KeyboardInterrupt):
            KnowledgeLibrary(folder, index_folder).refresh()
    read.clear()
    assert len(found(KnowledgeLibrary(folder, index_folder), "broker")) == 3
    assert read == ["b.md", "c.md"]


BUILD = """
import sys, pathlib
from tools.knowledge import library
library.FILES_A_CHANGE = 5
kept = library.KnowledgeLibrary(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
print(len({hit.path for hit in kept.search("broker", limit=50)}), kept.refresh().sections)
"""


def test_processes_that_build_at_once_all_answer_from_one_whole_index(
    folder: Path, index_folder: Path
) -> None:
    for number in range(37):
        (folder / f"{number}.md").write_text(f"# Broker {number}\nrestarts\n")
    command = [sys.executable, "-c", BUILD, str(folder), str(index_folder)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert [process.communicate()[0].split() for process in running] == [["40", "40"]] * 4
    assert [process.returncode for process in running] == [0] * 4
    (path,) = index_files(index_folder)
    with sqlite3.connect(path) as connection:
        (rows,) = connection.execute("SELECT count(*) FROM terms_docsize").fetchone()
    connection.close()
    assert rows == 40


def test_an_open_index_follows_what_another_process_did(folder: Path, index_folder: Path) -> None:
    library = KnowledgeLibrary(folder, index_folder)
    assert library.refresh().sections == 3
    (folder / "d.md").write_text("# Broker d\n")
    assert KnowledgeLibrary(folder, index_folder).refresh().sections == 4
    assert library.refresh().titles == ("Broker a", "Broker b", "Broker c", "Broker d")


def test_what_another_process_indexed_meanwhile_is_not_read_again(
    folder: Path, index_folder: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    list_folder = library_module.list_folder

    def overtaken(path: Path) -> object:
        monkeypatch.setattr(library_module, "list_folder", list_folder)
        KnowledgeLibrary(folder, index_folder).refresh()
        read.clear()
        return list_folder(path)

    monkeypatch.setattr(library_module, "list_folder", overtaken)
    assert KnowledgeLibrary(folder, index_folder).refresh().sections == 3
    assert read == []


def test_what_another_process_took_for_gone_is_indexed_again(
    folder: Path, index_folder: Path
) -> None:
    library = KnowledgeLibrary(folder, index_folder)
    assert len(found(library, "broker")) == 3
    other = SectionIndex(index_files(index_folder)[0])
    with other.changing():
        other.remove("a.md")
    other.close()
    assert len(found(library, "broker")) == 3


def test_only_one_process_changes_an_index_at_a_time(
    folder: Path, index_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    KnowledgeLibrary(folder, index_folder).refresh()
    (path,) = index_files(index_folder)
    monkeypatch.setattr(index_module, "BUSY_SECONDS", 0.0)
    one, other = SectionIndex(path), SectionIndex(path)
    entered = False
    with one.changing(), pytest.raises(sqlite3.OperationalError), other.changing():
        entered = True
    assert not entered
    with other.changing():
        other.remove("a.md")
    one.close()
    other.close()


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
