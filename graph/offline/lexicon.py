"""What the model knows of operations language, as `words.toml` has it."""

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any


@cache
def words() -> dict[str, Any]:
    """The whole vocabulary, read on first use."""
    return tomllib.loads(files(__package__).joinpath("words.toml").read_text("utf-8"))


@cache
def pattern(name: str) -> re.Pattern[str]:
    """One of the vocabulary's expressions."""
    return re.compile(words()[name])


@lru_cache(maxsize=1_024)
def concepts(text: str) -> frozenset[str]:
    """The symptoms and causes a text speaks of, by name."""
    return frozenset(name for name, spelt in words()["concepts"] if re.search(spelt, text, re.I))


def nouns(text: str) -> set[str]:
    """The Latin words of a text, singular, and what tables call its Chinese nouns."""
    named = (noun for noun, said in words()["nouns"] if re.search(said, text))
    return {*re.findall("([a-z]+?)(?:s?(?![a-z]))", text.lower()), *named}


def filled(fields: dict[str, Any], kind: str) -> list[str]:
    """The values of fields of a kind that the vocabulary names."""
    return [str(value) for key, value in fields.items() if pattern(kind).search(key)]
