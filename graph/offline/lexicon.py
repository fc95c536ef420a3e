"""What the model knows of operations language, read once from `words.toml`."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

WORDS: dict[str, Any] = tomllib.loads(files(__package__).joinpath("words.toml").read_text("utf-8"))


@cache
def pattern(name: str) -> re.Pattern[str]:
    """One of the vocabulary's expressions."""
    return re.compile(WORDS[name])


def concepts(text: str) -> set[str]:
    """The symptoms and causes a text speaks of, by name."""
    return {name for name, spelling in WORDS["concepts"] if re.search(spelling, text, re.I)}


def nouns(text: str) -> set[str]:
    """The Latin words of a text, singular, and what tables call its Chinese nouns."""
    named = (noun for noun, said in WORDS["nouns"] if re.search(said, text))
    return {*re.findall("([a-z]+?)(?:s?(?![a-z]))", text.lower()), *named}


def filled(fields: dict[str, Any], kind: str) -> list[str]:
    """The values of fields of a kind that the vocabulary names."""
    return [str(value) for key, value in fields.items() if pattern(kind).search(key)]
