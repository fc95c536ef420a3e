"""Queries that name a document's subject, made from the document alone, and what they should find.

    title      the title as it is written
    reordered  its words in reverse, identifiers taken apart, in lower case
    asked      the title inside a question, as somebody on call would put it
    section    the title and one heading of the document
    heading    a heading of eight letters (four Chinese characters) or more that no other document
               has, as it is written
    sentence   the first sentence of the text: it tells a symptom and need not name the subject

Nothing is chosen by hand or by what the search finds. Where several documents have one title, as
twins in two languages do, any of them is right.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.knowledge.sections import parse_document

NAMING = ("title", "reordered", "asked", "section", "heading")
OTHER = ("sentence",)
HEADINGS_A_DOCUMENT = 6

_NUMBERING = re.compile(r"^[\d.、)）\s]+")
_CHINESE = re.compile("[\u4e00-\u9fff]")
_WORD = re.compile("[\u4e00-\u9fff]+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SENTENCE_END = re.compile(r"(?<=[。！？])|(?<=[.!?])\s|\n\s*\n")
_MARKUP = re.compile(r"<[^>]*>|[`*_#>|]|\]\([^)]*\)|[\[\]]")
_QUESTIONS = {
    "zh": "生产环境从今天早上开始出现“{}”，应该怎么排查和处理？",
    "en": "Since this morning production shows {}: what should we check and how do we fix it?",
}


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked, and the paths of the documents that answer it."""

    kind: str
    language: str
    text: str
    answers: frozenset[str]


def subject_queries(folder: Path) -> list[Query]:
    """Every query for every Markdown file below `folder`, in path order."""
    texts = {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8-sig")
        for path in sorted(folder.rglob("*.md"))
    }
    documents = {path: parse_document(text) for path, text in texts.items()}
    titles = {path: _plain(found.title or Path(path).stem) for path, found in documents.items()}
    headings = {
        path: list(dict.fromkeys(_plain(s.heading) for s in found.sections if s.heading))
        for path, found in documents.items()
    }
    shared = Counter(heading for of_one in headings.values() for heading in of_one)
    queries: list[Query] = []
    for path, text in texts.items():
        language = language_of(text)
        alike = frozenset(other for other in titles if _same(titles[other], titles[path]))
        queries += _for_title(titles[path], language, alike)
        for heading in headings[path][:HEADINGS_A_DOCUMENT]:
            if not _same(heading, titles[path]):
                section = f"{titles[path]} {heading}"
                queries.append(Query("section", language, section, alike))
            if shared[heading] == 1 and _is_telling(heading):
                queries.append(Query("heading", language, heading, frozenset({path})))
        queries += (
            Query("sentence", language, sentence, alike) for sentence in _first_sentence(text)
        )
    return queries


def language_of(text: str) -> str:
    """`zh` when a tenth of the letters is Chinese, else `en`."""
    letters = sum(character.isalpha() for character in text)
    return "zh" if len(_CHINESE.findall(text)) * 10 > letters else "en"


def counted(queries: list[Query], found: Mapping[Query, bool]) -> Iterator[list[object]]:
    """A row a kind: queries and the share found, Chinese and English apart."""
    for kind in (*NAMING, *OTHER):
        row: list[object] = [kind]
        for language in ("zh", "en"):
            asked = [q for q in queries if (q.kind, q.language) == (kind, language)]
            row += [len(asked), share(found[query] for query in asked)]
        yield row


def share(found: Iterator[bool]) -> float:
    """How many are true, from 0 to 1; 1 of none."""
    kept = list(found)
    return sum(kept) / len(kept) if kept else 1.0


def _for_title(title: str, language: str, alike: frozenset[str]) -> Iterator[Query]:
    words = _WORD.findall(title)
    yield Query("title", language, title, alike)
    yield Query("reordered", language, " ".join(reversed(words)).lower(), alike)
    yield Query("asked", language, _QUESTIONS[language].format(title), alike)


def _plain(heading: str) -> str:
    return " ".join(_NUMBERING.sub("", _MARKUP.sub(" ", heading)).split())


def _same(one: str, other: str) -> bool:
    return _folded(one) == _folded(other)


def _folded(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())


def _is_telling(heading: str) -> bool:
    return len(_folded(heading)) + len(_CHINESE.findall(heading)) >= 8


def _first_sentence(source: str) -> Iterator[str]:
    """The first of ten letters or more in the text of the first sections; none of an empty one."""
    for section in parse_document(source).sections:
        body = section.text.partition("\n")[2] if section.heading else section.text
        for sentence in _SENTENCE_END.split(body):
            plain = " ".join(_MARKUP.sub(" ", sentence or "").split())
            if len(_folded(plain)) >= 10 and "://" not in plain:
                yield plain[:200]
                return
