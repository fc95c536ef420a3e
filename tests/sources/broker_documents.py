"""A folder of three documents about a broker, what is found in it, and what is read for it."""

from pathlib import Path

import pytest

from tools.knowledge import library as library_module
from tools.knowledge.library import KnowledgeLibrary


def broker_folder(parent: Path) -> Path:
    """`a.md`, `b.md` and `c.md`, each with a word of its own (`ax`, `bx`, `cx`)."""
    documents = parent / "documents"
    documents.mkdir()
    for name in ("a", "b", "c"):
        (documents / f"{name}.md").write_text(f"# Broker {name}\nThe broker {name}x restarts.\n")
    return documents


def found(library: KnowledgeLibrary, query: str) -> list[str]:
    """The documents with a hit, in path order."""
    return sorted({hit.path for hit in library.search(query, limit=50)})


def index_files(index_folder: Path) -> list[Path]:
    """The databases that are kept there."""
    return sorted(index_folder.glob("*.sqlite"))


def recorded_reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are read from now on, in order."""
    paths: list[str] = []
    read_file = library_module.read_file

    def recording(folder: Path, relative: str) -> bytes | None:
        paths.append(relative)
        return read_file(folder, relative)

    monkeypatch.setattr(library_module, "read_file", recording)
    return paths


def recorded_parses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are parsed from now on, in order."""
    texts: list[str] = []
    parse = library_module.parse_document

    def recording(source: str) -> object:
        texts.append(source)
        return parse(source)

    monkeypatch.setattr(library_module, "parse_document", recording)
    return texts
