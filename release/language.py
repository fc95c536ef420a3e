"""Which of the two languages a text is answered in."""

import re

from release.vocabulary import Language

_HAN = re.compile("[\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


def language_of(text: str) -> Language:
    """Chinese as soon as there is one Han character, else English."""
    return "zh" if _HAN.search(text) else "en"
