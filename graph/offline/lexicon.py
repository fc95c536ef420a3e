"""The model's vocabulary, read once from `words.toml`."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

_CASE_MATTERS = ("name", "level", "phrase", "first", "code")


@cache
def words(section: str = "") -> dict[str, Any]:
    """The vocabulary, or one section of it."""
    table = tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))
    return table[section] if section else table


@cache
def pattern(name: str, section: str = "") -> re.Pattern[str]:
    """One of the vocabulary's expressions."""
    return re.compile(words(section)[name], re.NOFLAG if name in _CASE_MATTERS else re.IGNORECASE)


def concepts(text: str) -> set[str]:
    """The symptoms and causes a text speaks of, by name."""
    return {name for name in words("concepts") if pattern(name, "concepts").search(text)}


def nouns(text: str) -> set[str]:
    """The words of a text, singular, with those that tables and columns use for its nouns."""
    known = (said for noun, said in words("nouns").items() if noun in text.lower())
    return set(re.findall("([a-z]+?)(?:s?(?![a-z]))", f"{text.lower()} {' '.join(known)}"))
