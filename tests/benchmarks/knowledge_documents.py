"""Generated runbooks, Chinese and English, and queries for them: the same for the same seed.

Words are drawn by rank as in real text (Zipf): a few stand nearly everywhere, most are rare. Every
section also has an error code of its own, and every document a service of its own.
"""

from bisect import bisect
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from random import Random

SECTIONS_A_FILE = 10
FILES_A_FOLDER = 100
_WORDS_A_SECTION = 70
_VOCABULARY = 6_000

_ENGLISH_PARTS = """
con re pro de in per sub ex trans inter over under dis pre ad ser vi ce po ol tion ment ing er or
al ous ive ate ize ist log net data node disk lock time queue cache read write load
"""
_CHINESE_CHARACTERS = (
    "的一是不了在有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子"
    "说产种面而方后多定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机"
    "当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内数正心"
    "反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题党程"
    "展五果料象员革位入常文总次品式活设及管特件长求老头基资边流路级少图山统接知较将组见计别她手角期"
)


class _Words:
    """A vocabulary that is drawn from by rank."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._sums = list(accumulate(1 / (rank + 2) for rank in range(len(words))))

    def draw(self, random: Random) -> str:
        return self._words[bisect(self._sums, random.random() * self._sums[-1])]


def _vocabularies() -> dict[str, _Words]:
    random = Random(7)
    english = {
        "".join(random.choices(_ENGLISH_PARTS.split(), k=random.randint(1, 3))): None
        for _ in range(_VOCABULARY)
    }
    chinese = {"".join(random.choices(_CHINESE_CHARACTERS, k=2)): None for _ in range(_VOCABULARY)}
    return {"en": _Words(list(english)), "zh": _Words(list(chinese))}


def write_documents(folder: Path, sections: int, random: Random) -> None:
    """`sections` sections of some 500 bytes below `folder`, ten a file."""
    vocabularies = _vocabularies()
    for number in range(sections // SECTIONS_A_FILE):
        language = ("zh", "en")[number % 2]
        path = folder / f"team-{number // FILES_A_FOLDER}" / f"{language}-{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_document(language, number, vocabularies[language], random))


def queries(count: int, random: Random) -> dict[str, list[str]]:
    """Half Chinese, half English: three to six words of the vocabulary, a third with a code."""
    asked: dict[str, list[str]] = {}
    for language, words in _vocabularies().items():
        joint = "" if language == "zh" else " "
        asked[language] = [
            joint.join(words.draw(random) for _ in range(random.randint(3, 6)))
            + (f" E{random.randrange(100_000):06}" if number % 3 == 0 else "")
            for number in range(count // 2)
        ]
    return asked


def _document(language: str, number: int, words: _Words, random: Random) -> str:
    joint, stop = ("", "。") if language == "zh" else (" ", ". ")

    def sentence(length: int) -> str:
        return joint.join(words.draw(random) for _ in range(length))

    parts = [f"# Service{number} {sentence(3)}\n"]
    for section in range(SECTIONS_A_FILE):
        text = stop.join(sentence(10) for _ in range(_WORDS_A_SECTION // 10))
        code = f"E{number * SECTIONS_A_FILE + section:06}"
        parts.append(f"## {sentence(3)}\n\n{code} {text}{stop}\n")
    return "\n".join(parts)
