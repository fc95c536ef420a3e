"""Which services a wanted name means.

Tried in this order, the first that finds anything deciding: the same name (case ignored, a pod's
suffix dropped); a name that contains the wanted one at word boundaries (`payment` means
`payment-service`); a name that the wanted one contains at word boundaries, the longest only and of
three characters or more (`the catalogue service` means `catalogue`). Names are those stated in the
lines and those of files and folders, which mean every line below them. An unknown name means
nothing: no lines.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from tools.logs.folder import without_pod_suffix

_LEAST_CHARS = 3


@dataclass(frozen=True, slots=True)
class Meant:
    """Lines of these services, and all lines of these files."""

    services: list[str]
    file_ids: list[int]

    def __bool__(self) -> bool:
        return bool(self.services or self.file_ids)


def meant_by(wanted: str, services: Iterable[str], files: Mapping[int, list[str]]) -> Meant:
    """Resolve a wanted name against stated services and the names that files answer to."""
    stated = list(services)
    for rule in (_same(wanted), _containing(wanted)):
        if meant := _select(rule, stated, files):
            return meant
    names = {*stated, *(name for own in files.values() for name in own)}
    inside = {name for name in names if len(name) >= _LEAST_CHARS and _has_words(wanted, name)}
    longest = max(map(len, inside), default=0)
    return _select(lambda name: name in inside and len(name) == longest, stated, files)


def answers_to(wanted: str, names: Iterable[str]) -> bool:
    """Whether one of them is the wanted name itself, so that no other name can be meant."""
    return any(map(_same(wanted), names))


def _select(
    rule: Callable[[str], bool], services: list[str], files: Mapping[int, list[str]]
) -> Meant:
    return Meant(
        services=[name for name in services if rule(name)],
        file_ids=[file_id for file_id, names in files.items() if any(map(rule, names))],
    )


def _same(wanted: str) -> Callable[[str], bool]:
    spellings = {wanted.casefold(), without_pod_suffix(wanted.casefold())}
    return lambda name: name.casefold() in spellings


def _containing(wanted: str) -> Callable[[str], bool]:
    return lambda name: _has_words(name, wanted)


def _has_words(text: str, words: str) -> bool:
    text, words = text.casefold(), words.casefold()
    if not words or words not in text:
        return False
    return re.search(rf"(?<![^\W_]){re.escape(words)}(?![^\W_])", text) is not None
