"""What texts and queries are matched by: words, and pairs of characters where words have no blanks.

Chinese, Japanese and Korean runs become overlapping pairs, so no dictionary is needed and new words
(切换企业) match like old ones. Other words are folded to lower case; a compound identifier counts
whole and by its parts (KubePodNotReady, kube, pod, not, ready). Stemming is the index's.
"""

import re
import unicodedata

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
_RUN = re.compile(f"[{_UNSPACED}]+|[^\\W_{_UNSPACED}]+")
_UNSPACED_START = re.compile(f"[{_UNSPACED}]")
_COMPOUND_PART = re.compile("[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_LINK_TARGET = re.compile(r"\]\([^)\s]*\)|https?://\S+")

_ENGLISH_STOP_WORDS = re.compile(
    "a|an|and|are|as|at|be|by|can|do|does|for|from|has|have|how|i|if|in|into|is|it|its|me|my|of|on"
    "|or|our|please|that|the|their|there|this|to|was|we|what|when|where|which|who|why|will|with|you"
    "|your",
    re.IGNORECASE,
)
_CHINESE_STOP_WORDS = re.compile(
    "为什么|怎么办|怎么样|怎么|怎样|如何|什么|是否|可以|请问|哪些|哪个|多少|[的了吗呢吧]"
)


def text_terms(text: str) -> list[str]:
    """The terms of a text in order. Targets of links are not text; what they are called is."""
    terms: list[str] = []
    for run in _RUN.findall(unicodedata.normalize("NFKC", _LINK_TARGET.sub("] ", text))):
        # the last character alone lets a single-character query match by prefix wherever it stands
        terms += [*_pairs(run), run[-1]] if is_unspaced(run) else _word_and_parts(run)
    return terms


def query_terms(text: str) -> list[tuple[str, ...]]:
    """The terms of a query, one tuple a run of characters or word, without words that only ask.

    A query of nothing but such words keeps them.
    """
    runs = _RUN.findall(unicodedata.normalize("NFKC", text))
    asked = [_query_run(piece) for run in runs for piece in _without_stop_words(run)]
    return asked or [_query_run(run) for run in runs]


def is_unspaced(term: str) -> bool:
    """Whether a term is written in a script without blanks between words."""
    return _UNSPACED_START.match(term) is not None


def _query_run(run: str) -> tuple[str, ...]:
    if not is_unspaced(run):
        return tuple(_word_and_parts(run))
    return tuple(_pairs(run)) if len(run) > 1 else (run,)


def _without_stop_words(run: str) -> list[str]:
    if is_unspaced(run):
        return [piece for piece in _CHINESE_STOP_WORDS.split(run) if piece]
    return [] if _ENGLISH_STOP_WORDS.fullmatch(run) else [run]


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]


def _word_and_parts(word: str) -> list[str]:
    parts = _COMPOUND_PART.findall(word)
    is_compound = len(parts) > 1 and any(len(part) > 1 and part[-1].islower() for part in parts)
    kept = [part.lower() for part in parts if len(part) > 1] if is_compound else []
    return [word.lower(), *kept]
