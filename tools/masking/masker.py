"""Masks whatever a source answers or a scope holds, with the marks of one run."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from tools.evidence import Evidence
from tools.masking.labels import is_no_secret, kind_of_label, mask_labels
from tools.masking.marks import Mark, marks_of

MAX_CHARS = 131_072
"""Of one text, far above any observation: what lies behind it is dropped, and is not searched."""
_LONGEST_WORD = 4_096


@lru_cache(maxsize=1)
def _rules() -> tuple[Callable[[str, Mark], str], ...]:
    """What holds other secrets goes first, so that it is masked whole. Their many patterns are
    compiled when something is masked, not on import."""
    from tools.masking.addresses import mask_addresses, mask_emails
    from tools.masking.headers import mask_headers
    from tools.masking.numbers import mask_numbers
    from tools.masking.private_keys import mask_private_keys
    from tools.masking.shapes import mask_shapes

    return (
        mask_private_keys,
        mask_shapes,
        mask_headers,
        mask_addresses,
        mask_labels,
        mask_numbers,
        mask_emails,
    )


class Masker:
    """Masks for one run. Masked text comes out as it is."""

    def __init__(self, run_key: str) -> None:
        self._mark = marks_of(run_key)

    def text(self, text: str) -> str:
        """The text, every secret in it replaced by its mark. Linear in its length."""
        for rule in _rules():
            text = rule(text, self._mark)
        return text

    def evidence(self, pieces: Sequence[Evidence], *, max_bytes: int) -> list[Evidence]:
        """The leading pieces, masked, until they hold more than `max_bytes`: no more are shown. A
        private key that is spread over several pieces is masked too."""
        from tools.masking.private_keys import mask_spread_keys

        texts = mask_spread_keys([_opening(piece.text) for piece in pieces], self._mark)
        masked: list[Evidence] = []
        room = max_bytes
        for piece, text in zip(pieces, texts, strict=True):
            if room < 0:
                break
            masked.append(Evidence(self.text(_opening(piece.source)), self.text(text)))
            room -= len(masked[-1].text.encode("utf-8", "surrogatepass"))
        return masked

    def scope(self, scope: Mapping[str, Any]) -> dict[str, Any]:
        """A scope as it is stored and shown; the query itself runs with the real values.
        One that nests too deeply to be read is shown as none."""
        try:
            return {self.text(key): self._value(value, key) for key, value in scope.items()}
        except RecursionError:
            return {}

    def _value(self, value: Any, name: str) -> Any:
        match value:
            case str():
                return self._string(value, name)
            case bool() | None:
                return value
            case int() | float():
                masked = self._string(str(value), name)
                return value if masked == str(value) else masked
            case Mapping():
                return {self.text(key): self._value(inner, key) for key, inner in value.items()}
            case list():
                return [self._value(item, name) for item in value]
            case _:
                return self.text(str(value))

    def _string(self, text: str, name: str) -> str:
        kind = kind_of_label(name)
        if kind is None or is_no_secret(text):
            return self.text(_opening(text))
        return self._mark(kind, text)


def _opening(text: str) -> str:
    """A text as far as it is searched, cut visibly and before a word, so that no head of a secret
    remains."""
    if len(text) <= MAX_CHARS:
        return text
    blank = max(text.rfind(sign, MAX_CHARS - _LONGEST_WORD, MAX_CHARS) for sign in " \n")
    return text[: blank if blank > 0 else MAX_CHARS] + "…"
