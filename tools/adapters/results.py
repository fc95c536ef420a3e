"""Evidence out of what a foreign tool answered: documents, rows, text blocks, JSON, plain text.

A mapping with a text is a document: the text is the evidence, the rest tells about it. Nothing
found is an empty result. An answer that says it failed is a failure, and so is one with
nothing in it that is text; neither is ever taken for emptiness. An answer that says that it is cut
is truncated, and so is one with more than a mebibyte of text.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tools.evidence import Evidence, RelevanceLevel, ToolFailure, ToolResult

_TEXT_KEYS = ("text", "page_content", "pageContent", "content")
_SOURCE_KEYS = ("source", "uri", "url", "path", "file", "title", "name", "id")
_LEVEL_KEYS = ("relevanceLevel", "relevance_level")
_LIST_KEYS = (
    *("content", "data", "documents", "hits", "items", "matches", "result", "results"),
    *("entries", "events", "logs", "metrics", "records", "rows", "series", "streams"),
)
_CUT_KEYS = ("truncated", "resultsTruncated", "isTruncated", "hasMore", "has_more", "is_partial")
MAX_TEXT_BYTES = 1_048_576
"""Of one answer, far above any observation: what lies behind it would only be carried around."""
_BLOCKS_WITHOUT_TEXT = frozenset({"image", "audio", "video", "file", "resource", "resource_link"})


@dataclass(frozen=True, slots=True)
class _Hit:
    text: str | None
    """None for something that is there and is not text."""
    about: Mapping[str, Any]
    """What tells where it stands and how relevant it is."""


def read_result(content: Any, artifact: Any, *, tool: str, factual: bool) -> ToolResult:
    """Raises `ToolFailure`: TOOL_FAILED when the answer says so, TOOL_RESULT_UNREADABLE.

    Documents in the artifact are taken before their rendering in the content, MCP's structured
    content where there is no text beside it. Knowledge is DIRECT when any hit or the answer itself
    says so, else REFERENCE (C5.4).
    """
    said = [_envelope(part) for part in (content, artifact, _structured(artifact))]
    if any(map(_says_failure, said)):
        raise ToolFailure("TOOL_FAILED", retryable=False)
    outer = _level_of(artifact) if isinstance(artifact, Mapping) else {}
    found = _read(artifact if _holds_documents(artifact) else content, outer)
    if not any(hit.text for hit in found):
        found += _read(_structured(artifact), outer)
    hits = [hit for hit in found if hit.text is not None]
    if found and not hits:
        raise ToolFailure("TOOL_RESULT_UNREADABLE", retryable=False)
    evidence, whole = _bounded(
        Evidence(_source(hit.about) or f"{tool} #{number}", hit.text or "")
        for number, hit in enumerate(hits, start=1)
    )
    level = None if factual or not hits else _level(hits)
    cut = any(map(_says_cut, said))
    # of an answer that is cut, nobody knows how many there are
    total = None if cut else len(hits)
    return ToolResult(
        evidence, level, truncated=cut or not whole or len(hits) < len(found), total=total
    )


def _bounded(pieces: Iterable[Evidence]) -> tuple[list[Evidence], bool]:
    """As many as fit, the last one cut on a character boundary, and whether that is all."""
    kept: list[Evidence] = []
    left = MAX_TEXT_BYTES
    for piece in pieces:
        text = piece.text.encode("utf-8", "surrogatepass")
        if len(text) > left:
            cut = text[:left].decode("utf-8", "ignore")
            return [*kept, Evidence(piece.source, cut)] if cut else kept, False
        kept.append(piece)
        left -= len(text)
    return kept, True


def _structured(artifact: Any) -> Any:
    """MCP's structured content; a server wraps what is no object as `{"result": …}`."""
    content = _mapping(artifact).get("structured_content")
    inner = _mapping(content)
    return inner["result"] if inner.keys() == {"result"} else content


def _says_cut(envelope: Mapping[str, Any]) -> bool:
    parts = (envelope, _mapping(envelope.get("metadata")), _mapping(envelope.get("meta")))
    return any(part.get(key) is True for part in parts for key in _CUT_KEYS)


def _envelope(value: Any) -> Mapping[str, Any]:
    """What an answer says of itself, whether it came as data, as JSON, or in one text block."""
    match value:
        case [single]:
            return _envelope(single)
        case {"type": "text", "text": str(text)} | str(text):
            answer = _json(text)
            return answer if isinstance(answer, Mapping) else {}
        case Mapping():
            return value
        case _:
            return {}


def _says_failure(envelope: Mapping[str, Any]) -> bool:
    if any(envelope.get(flag) is True for flag in ("isError", "is_error")):
        return True
    if any(envelope.get(flag) is False for flag in ("success", "ok")):
        return True
    return bool(envelope.get("error")) and _listed(envelope) is None


def _holds_documents(artifact: Any) -> bool:
    found = _listed(artifact) if isinstance(artifact, Mapping) else artifact
    return isinstance(found, list | tuple) and bool(found) and all(map(_is_document, found))


def _is_document(item: Any) -> bool:
    if isinstance(item, tuple) and item:
        return _is_document(item[0])
    text = _text_of(item) if isinstance(item, Mapping) else getattr(item, "page_content", None)
    return isinstance(text, str)


def _read(value: Any, outer: Mapping[str, Any]) -> list[_Hit]:
    match value:
        case None:
            return []
        case str():
            return _read_text(value, outer)
        case bool() | int() | float():
            return [_Hit(json.dumps(value), outer)]
        case Mapping():
            return _read_mapping(value, outer)
        case (first, float() | int()) if _is_document(first):
            # (document, score), as vector stores answer; the score stays here (C4)
            return _read(first, outer)
        case list() | tuple():
            return [hit for item in value for hit in _read(item, outer)]
        case _ if _is_document(value):
            metadata = getattr(value, "metadata", None)
            return _plain(value.page_content, {**outer, **_mapping(metadata)})
        case _:
            return [_Hit(None, outer)]


def _read_mapping(value: Mapping[str, Any], outer: Mapping[str, Any]) -> list[_Hit]:
    about = {**outer, **value, **_mapping(value.get("metadata"))}
    if (listed := _listed(value)) is not None:
        return _read(listed, {**outer, **_level_of(value)})
    if isinstance(resource := value.get("resource"), Mapping):
        return [_Hit(None, about)] if "blob" in resource else _read(resource, outer)
    if (text := _text_of(value)) is not None:
        # a text block of MCP often carries the whole answer as JSON
        return _read_text(text, outer) if value.get("type") == "text" else _plain(text, about)
    if value.get("type") in _BLOCKS_WITHOUT_TEXT:
        return [_Hit(None, about)]
    return [_Hit(_row(value), about)] if value else []


def _read_text(text: str, outer: Mapping[str, Any]) -> list[_Hit]:
    answer = _json(text)
    if answer is None or answer == {}:
        return [] if text.strip() in ("null", "{}") else _plain(text, outer)
    if isinstance(answer, list) or _listed(answer) is not None or _text_of(answer) is not None:
        return _read(answer, outer)
    return _plain(text, {**outer, **answer})


def _plain(text: str, about: Mapping[str, Any]) -> list[_Hit]:
    return [_Hit(text, about)] if text.strip() else []


def _json(text: str) -> Any:
    """The object or list that `text` is; None for any other text."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _row(value: Mapping[str, Any]) -> str | None:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return None


def _listed(value: Mapping[str, Any]) -> list[Any] | None:
    """The list that an answer wraps, as in `{"results": […]}`; of several, the one that holds
    something."""
    lists: list[list[Any]] = [value[k] for k in _LIST_KEYS if isinstance(value.get(k), list)]
    filled = [one for one in lists if one]
    if len(filled) > 1 or not lists:
        return None
    return filled[0] if filled else []


def _text_of(value: Mapping[str, Any]) -> str | None:
    return next((value[key] for key in _TEXT_KEYS if isinstance(value.get(key), str)), None)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _level_of(value: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value[key] for key in _LEVEL_KEYS if key in value}


def _level(hits: list[_Hit]) -> RelevanceLevel:
    said = (str(level).upper() for hit in hits for level in _level_of(hit.about).values())
    return RelevanceLevel.DIRECT if RelevanceLevel.DIRECT in said else RelevanceLevel.REFERENCE


def _source(about: Mapping[str, Any]) -> str | None:
    values = (about.get(key) for key in _SOURCE_KEYS)
    return next((str(value) for value in values if isinstance(value, str | int) and value), None)
