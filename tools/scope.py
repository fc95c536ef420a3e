"""The only definition of "the same query" (C5.3): canonical scopes and the keys made from them."""

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

_KEY_BYTES = 16


def canonical_text(text: str) -> str:
    """Trimmed and in Unicode NFC: differences that no adapter sees."""
    return unicodedata.normalize("NFC", text.strip())


def canonical_keyword(text: str) -> str:
    """For built-in keyword fields: NFKC, white space folded to single blanks, trimmed."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def canonical_time(moment: datetime) -> str:
    """ISO 8601 in UTC, the zone stated. A naive time is refused: it names no instant."""
    if moment.tzinfo is None:
        raise ValueError("a time in a scope needs a zone")
    return moment.astimezone(UTC).isoformat()


def canonical_value(value: Any) -> Any:
    """A JSON-able value with every text in canonical form, at any depth."""
    if isinstance(value, str):
        return canonical_text(value)
    if isinstance(value, datetime):
        return canonical_time(value) if value.tzinfo else value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): canonical_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [canonical_value(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((canonical_value(item) for item in value), key=canonical_json)
    if value is None or isinstance(value, bool | int | float):
        return value
    return canonical_value(to_jsonable_python(value))


def canonical_text_fields(request: BaseModel) -> dict[str, Any]:
    """The default scope of a request: every field, defaults filled in, texts canonical.

    Times with a zone are in UTC at any depth, sets in one order; a time without a zone stays so.
    """
    scope: dict[str, Any] = canonical_value(request.model_dump())
    return scope


def canonical_json(value: Any) -> str:
    """One spelling for equal values: sorted keys, no blanks, text as it is."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def scope_key(tool: str, scope: Mapping[str, Any]) -> str:
    """Names "this tool, this scope" inside a run; 32 hex digits."""
    return _digest("scope", tool, canonical_json(scope))


def invocation_key(run_id: str, scope: str) -> str:
    """Names the canonical record of a scope key in one run (C5.1); 32 hex digits."""
    return _digest("invocation", run_id, scope)


def _digest(*parts: str) -> str:
    data = "\x00".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=_KEY_BYTES).hexdigest()
