"""Whether an answer claims a cause that it must not claim. Errs on the side of finding a claim.

`must_not_claim` describes wrong causes in English, answers may be Chinese. The rule: a claim counts
as made when every word of the description that carries meaning stands in the conclusion. A word
stands there as itself, by its stem, or by a concept it shares with the conclusion (`cancelled` and
取消). Words that only say "this is the cause" carry no meaning. A description that starts with
"any" is met by every conclusion. What the evidence says in quotes is no claim.
"""

import re

from graph.offline.lexicon import concepts

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*[A-Za-z0-9]|[A-Za-z0-9]")
_EMPTY = re.compile(
    "an?|and|as|at|because|by|causes?|caused|causing|explains?|for|from|ha[ds]|have|in|is|its?|itself"
    "|not?|of|on|or|out|problem|reason|responsible|root|the|to|was|were|with|due|that|this|are|be"
    "|been|happened|nothing|wrong",
    re.IGNORECASE,
)
_STEM_CHARACTERS = 5


def claims_made(conclusion: str | None, forbidden: list[str]) -> list[str]:
    """The descriptions in `forbidden` that the conclusion meets; none without a conclusion."""
    return [one for one in forbidden if conclusion and _made(conclusion, one)]


def _made(conclusion: str, description: str) -> bool:
    if description.lower().startswith("any "):
        return True
    words = [word for word in _WORD.findall(description) if not _EMPTY.fullmatch(word)]
    return bool(words) and all(_stands(word, conclusion) for word in words)


def _stands(word: str, conclusion: str) -> bool:
    text = conclusion.lower()
    if re.search(r"[\d_.-]", word):
        return word.lower() in text
    stem = word.lower()[:_STEM_CHARACTERS]
    return stem in text or bool(concepts(word) & concepts(conclusion))
