"""Whether `lookup_knowledge` finds a document by its subject: recall@3, Chinese and English apart.

    python -m tests.benchmarks.knowledge_recall --data FOLDER [CASES] [--missed]

FOLDER/knowledge holds the documents; `subjects` says how queries are made of them. A query counts
as found when one of the first three sections shown is of a right document. Case questions whose
`must_cite` is a document are asked as they are. Ends with 1 when queries that name their subject
find less than 0.9 in a language; first sentences are printed beside and do not decide.
"""

import argparse
import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

from graph.evaluation.cases import read_cases
from tests.benchmarks.subjects import NAMING, Query, counted, language_of, share, subject_queries
from tests.benchmarks.table import show
from tools.knowledge import KnowledgeTool

SHOWN = 3
LEAST = 0.9


def main(data: Path, cases: Path | None, *, missed: bool) -> int:
    """One table; 0 when recall is good enough in both languages, else 1."""
    folder = data / "knowledge"
    queries = subject_queries(folder)
    found = asyncio.run(found_by(KnowledgeTool(folder), queries))
    rows = list(counted(queries, found))
    recalls = {
        language: share(
            found[query] for query in queries if query.kind in NAMING and query.language == language
        )
        for language in ("zh", "en")
    }
    rows.append(["naming the subject", "", recalls["zh"], "", recalls["en"]])
    header = ("queries", "zh", "recall@3", "en", "recall@3")
    show(f"Recall over {folder}", header, rows)
    asked = list(_case_queries(cases)) if cases else []
    answered = asyncio.run(found_by(KnowledgeTool(folder), asked))
    sys.stdout.write(f"\ncases that must cite a document: {sum(answered.values())}/{len(asked)}\n")
    if missed:
        for query, hit in {**found, **answered}.items():
            if not hit:
                sys.stdout.write(f"missed ({query.kind}): {query.text} -> {set(query.answers)}\n")
    return 0 if min(recalls.values()) >= LEAST else 1


async def found_by(tool: KnowledgeTool, queries: list[Query]) -> dict[Query, bool]:
    """Which queries show a right document among the first three sections."""
    found: dict[Query, bool] = {}
    for query in queries:
        result = await tool.search(tool.Input(query=query.text[:500], limit=SHOWN))
        sources = [piece.source for piece in result.evidence]
        found[query] = any(
            source.startswith((f"{path}#", f"{path} ("))
            for source in sources
            for path in query.answers
        )
    return found


def _case_queries(cases: Path) -> Iterator[Query]:
    for case in read_cases(cases):
        documents = frozenset(
            cited.removeprefix("knowledge/")
            for cited in case.expected.must_cite
            if cited.startswith("knowledge/")
        )
        if documents:
            yield Query("case", language_of(case.query), case.query, documents)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.knowledge_recall")
    parser.add_argument("cases", type=Path, nargs="?", help="JSON Lines, one case a line")
    parser.add_argument("--data", type=Path, required=True, help="folder that holds knowledge/")
    parser.add_argument("--missed", action="store_true", help="print what was not found")
    given = parser.parse_args()
    sys.exit(main(given.data, given.cases, missed=given.missed))
