"""One index on disk under several processes, under faults, and under a process that is killed."""

import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sources.broker_documents import broker_folder, found, index_files, recorded_reads
from tools.evidence import ToolFailure
from tools.knowledge import index as index_module
from tools.knowledge import index_file as index_file_module
from tools.knowledge import library as library_module
from tools.knowledge.index import SectionIndex
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
