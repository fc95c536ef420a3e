"""Which files are knowledge, and how the index follows them."""

import os
from pathlib import Path

import pytest

from tests.sources.broker_documents import found, recorded_parses
from tools.knowledge.library import KnowledgeLibrary


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sources that were parsed, in order."""
    return recorded_parses(monkeypatch)


def test_nothing_is_read_before_it_is_needed(tmp_path: Path) -> None:
    library = KnowledgeLibrary(tmp_path / "absent")
    assert library.holdings is None


def test_markdown_at_any_depth_counts_and_hidden_names_do_not(tmp_path: Path) -> None:
    for name in ("a.md", "b/c/d.MARKDOWN", "no.txt", ".hidden.md", ".git/e.md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("broker\n")
    assert found(KnowledgeLibrary(tmp_path), "broker") == ["a.md", "b/c/d.MARKDOWN"]


def test_no_link_leads_out_of_the_folder(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.mkdir()
    folder.mkdir()
    (outside / "secret.md").write_text("broker\n")
    (folder / "real.md").write_text("broker\n")
    (folder / "link.md").symlink_to(outside / "secret.md")
    (folder / "inside.md").symlink_to("real.md")
    (folder / "linked").symlink_to(outside)
    library = KnowledgeLibrary(folder)
    assert found(library, "broker") == ["inside.md", "real.md"]
    assert library.refresh().skipped == 1


def test_unreadable_files_are_skipped_and_counted(tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text("broker\n")
    (tmp_path / "latin.md").write_bytes(b"br\xfcke broker\n")
    (tmp_path / "dangling.md").symlink_to("nowhere.md")
    os.mkfifo(tmp_path / "pipe.md")
    library = KnowledgeLibrary(tmp_path)
    assert found(library, "broker") == ["good.md"]
    assert library.refresh().skipped == 3


def test_a_file_too_large_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.knowledge.folder.MAX_FILE_BYTES", 20)
    (tmp_path / "small.md").write_text("broker\n")
    (tmp_path / "large.md").write_text("broker " * 10)
    library = KnowledgeLibrary(tmp_path)
    assert found(library, "broker") == ["small.md"]
    assert library.refresh().skipped == 1


def test_the_index_follows_new_changed_and_removed_files(tmp_path: Path) -> None:
    first, second = tmp_path / "first.md", tmp_path / "second.md"
    first.write_text("# One\nbroker\n")
    library = KnowledgeLibrary(tmp_path)
    assert found(library, "broker") == ["first.md"]
    second.write_text("# Two\nbroker\n")
    assert found(library, "broker") == ["first.md", "second.md"]
    first.write_text("# One\nqueue depth\n")
    assert (found(library, "broker"), found(library, "queue")) == (["second.md"], ["first.md"])
    second.unlink()
    assert found(library, "broker") == []
    assert library.refresh().titles == ("One",)


def test_only_what_changed_is_parsed_again(tmp_path: Path, parsed: list[str]) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.md").write_text(f"{name} broker\n")
    library = KnowledgeLibrary(tmp_path)
    library.refresh()
    library.refresh()
    assert len(parsed) == 2
    os.utime(tmp_path / "a.md", ns=(1, 1))  # a new time on the same content
    library.refresh()
    assert len(parsed) == 2
    (tmp_path / "b.md").write_text("b changed\n")
    library.refresh()
    assert parsed[2:] == ["b changed\n"]


def test_a_file_that_becomes_unreadable_is_no_longer_found(tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text("broker\n")
    (tmp_path / "other.md").write_text("broker\n")
    library = KnowledgeLibrary(tmp_path)
    assert len(found(library, "broker")) == 2
    (tmp_path / "other.md").write_bytes(b"\xff broker\n")
    assert found(library, "broker") == ["good.md"]


def test_a_byte_order_mark_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "bom.md").write_bytes(b"\xef\xbb\xbf# Heading\nbroker\n")
    (hit,) = KnowledgeLibrary(tmp_path).search("broker", limit=5)
    assert hit.section.heading == "Heading"
