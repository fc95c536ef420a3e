"""Documents are found by their subject, Chinese and English apart; the measure can fail."""

from pathlib import Path

import pytest

from graph.incident import KNOWLEDGE
from tests.benchmarks.knowledge_recall import LEAST, found_by, main
from tests.benchmarks.subjects import NAMING, language_of, share, subject_queries
from tools.knowledge import KnowledgeTool

TWINS = {
    "zh/DiskFull.md": "# DiskFull\n\n## 含义\n\n磁盘空间不足，写入会失败。先清理旧日志。\n",
    "en/DiskFull.md": "# Disk Full\n\n## Meaning\n\nThe volume has no space left. Clean logs.\n",
    "en/faq.md": "# Questions\n\n## 1. Why does the broker rebalance?\n\nA consumer left.\n",
}


@pytest.fixture
def twins(tmp_path: Path) -> Path:
    for name, text in TWINS.items():
        path = tmp_path / "knowledge" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_the_shipped_documents_are_found_by_their_subject(language: str) -> None:
    queries = [q for q in subject_queries(KNOWLEDGE) if q.language == language and q.kind in NAMING]
    found = await found_by(KnowledgeTool(KNOWLEDGE), queries)
    assert len(queries) > 10
    assert share(iter(found.values())) >= LEAST


def test_queries_come_from_the_documents_alone(twins: Path) -> None:
    queries = {(q.kind, q.text): q for q in subject_queries(twins / "knowledge")}
    both = frozenset({"zh/DiskFull.md", "en/DiskFull.md"})
    assert queries["title", "DiskFull"].answers == both
    assert queries["reordered", "full disk"].answers == both
    assert queries["section", "DiskFull 含义"].language == "zh"
    assert queries["heading", "Why does the broker rebalance?"].answers == {"en/faq.md"}
    assert queries["sentence", "磁盘空间不足，写入会失败。"].answers == both
    assert ("heading", "Meaning") not in queries


def test_a_language_is_told_by_its_letters() -> None:
    assert [language_of(text) for text in ("磁盘 disk", "the disk is full 盘", "")] == [
        "zh",
        "en",
        "en",
    ]


async def test_a_document_that_is_not_shown_is_not_found(twins: Path, tmp_path: Path) -> None:
    queries = subject_queries(twins / "knowledge")
    (tmp_path / "none").mkdir()
    assert not any((await found_by(KnowledgeTool(tmp_path / "none"), queries)).values())


def test_the_command_prints_what_was_missed_and_judges_recall(
    twins: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = twins / "cases.jsonl"
    cases.write_text(
        '{"id": "1", "query": "写入失败，磁盘空间不足", "expected":'
        ' {"outcome": "SUCCESS", "must_cite": ["knowledge/zh/DiskFull.md"]}}\n'
    )
    # in two documents nearly every word of a whole question is unknown, and outweighs its subject
    assert main(twins, cases, missed=True) == 1
    printed = capsys.readouterr().out
    assert "naming the subject" in printed
    assert "missed (asked): 生产环境" in printed
    assert "cases that must cite a document: 1/1" in printed
    assert main(KNOWLEDGE.parent, None, missed=False) == 0
