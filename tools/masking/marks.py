"""The mark that stands for a secret: `‹password:3f9a1c›`, its kind and a keyed hash of it.

The same secret has the same hash in a run, however it is written and whatever kind it is taken for;
another run has another key. Without the key nobody can try a dictionary, and six digits are too few
to tell a phone or card number from thousands of others with it.
"""

import hashlib
import re
from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

_HASH_BYTES = 3
MARK = re.compile(r"‹[a-z-]{3,11}:[0-9a-f]{6}›")


class Kind(StrEnum):
    """What a masked text was taken for."""

    PASSWORD = "password"
    TOKEN = "token"
    CLOUD_KEY = "key"
    PRIVATE_KEY = "private-key"
    CARD = "card"
    IDENTITY = "id-card"
    PHONE = "phone"
    EMAIL = "email"
    CUT = "cut"
    """What is left of a number at a place where a source cut its text: it cannot be judged."""


Mark: TypeAlias = Callable[[Kind, str], str]
"""The mark of a secret, given in the form in which equal secrets are equal."""


def marks_of(run_key: str) -> Mark:
    """The marks of one run. `run_key` is the run's own secret, never shown beside its marks."""
    key = hashlib.blake2b(run_key.encode("utf-8", "surrogatepass")).digest()

    def mark(kind: Kind, secret: str) -> str:
        data = secret.encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(data, key=key, digest_size=_HASH_BYTES).hexdigest()
        return f"‹{kind}:{digest}›"

    return mark


def is_mark(text: str) -> bool:
    """Whether a text is one mark and nothing else: it is not masked again."""
    return MARK.fullmatch(text) is not None
