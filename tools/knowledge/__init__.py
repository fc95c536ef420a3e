"""`lookup_knowledge`: ranked search over the sections of a folder of Markdown, Chinese and English.

    folder                   which files there are, and reading them
    front_matter, html_text  what of a file is not text
    sections, chunks         from a file to citable sections of bounded size
    terms                    what texts and queries are matched by
    index, ranking           SQLite FTS5 and BM25 over those terms
    relevance                similarity from 0 to 1, DIRECT or REFERENCE
    index_file, library      where the index lies, the folder kept indexed
    lookup, tool             the request, the evidence source
    vectors                  the same source over any LangChain `VectorStore`

Why SQLite FTS5 over pairs of Chinese characters: measured in 2026-11 with 60 own queries on 32
public runbooks in Chinese and English (231 sections), a third of the queries in other words:

    engine, terms            recall@3   first hit   build     peak memory   added to the install
    FTS5, pairs              0.93       0.92        0.004 s   23 MB         nothing
    FTS5, jieba / rjieba     0.93       0.90        0.004 s   120 / 55 MB   37 / 5 MB
    tantivy, pairs / jieba   0.93/0.90  0.85/0.80   0.02 s    41 / 133 MB   17 / 54 MB
    bm25s, pairs / jieba     0.93       0.93/0.92   0.2 s     44 / 133 MB   60 / 97 MB

Import takes 4 ms for sqlite3 and tantivy, 80 ms for rjieba, 160 ms for jieba (and 0.7 s for its
dictionary; it fails to compile with warnings as errors), 200 ms for bm25s. What 100,000 sections
cost prints `python -m tests.benchmarks.knowledge_scale`: quarter of a minute to build, a tenth of a
second to open again or to search, 50 MB of memory, 140 MB of disk.

Failures: `KNOWLEDGE_FOLDER_MISSING` (not retryable), `KNOWLEDGE_FOLDER_UNREADABLE`,
`KNOWLEDGE_UNREADABLE` (there are files, none can be read), `KNOWLEDGE_INDEX_BUSY` (another process
has been changing it for a minute), `KNOWLEDGE_INDEX_FAILED` (all retryable). An empty folder is an
empty result. What a vector store adds: see `vectors`.
"""

from tools.knowledge.tool import KnowledgeTool
from tools.knowledge.vectors import VectorKnowledgeTool

__all__ = ["KnowledgeTool", "VectorKnowledgeTool"]
