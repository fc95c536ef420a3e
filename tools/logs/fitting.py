"""Events as evidence within a byte limit: the best ranked first, long ones cut, in time order.

An event gets an even share of the room, but at least 600 bytes, so that one huge line crowds out
nothing. What stands beside matches gets a third of the room, and what the matches leave. A cut text
ends in a marker with its whole size and, when the keyword stands in the part cut off, its
surroundings. Sizes are those of the JSON that the model is shown.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass

from tools.evidence import Evidence
from tools.logs.choice import Event
from tools.logs.context import Neighbour

_LEAST_BYTES = 600
_ITEM_BYTES = 40
_NEIGHBOURS_SHARE = 3
_MOST_ITEMS = 99


@dataclass(frozen=True, slots=True)
class Fitted:
    """What is shown, in time order: how many matches, and whether every text of them is whole."""

    evidence: list[Evidence]
    matches: int
    whole: bool


def fit(
    events: list[Event],
    beside: list[Neighbour],
    *,
    max_bytes: int,
    surroundings: Callable[[Event], str | None],
) -> Fitted:
    """Evidence of as many events as fit, at least one, and of their neighbours.

    `surroundings` gives the text around the keyword of an event, None when there is no keyword.
    """
    left = max_bytes
    max_bytes -= max_bytes // _NEIGHBOURS_SHARE if beside else 0
    share = max(_LEAST_BYTES, max_bytes // max(1, len(events)) - _ITEM_BYTES)
    kept: list[tuple[tuple[int, int], Evidence]] = []
    whole = True
    room = max_bytes
    for event in events:
        evidence = Evidence(event.source, _bounded(event, share, surroundings))
        cost = _cost(evidence)
        if cost > room and kept:
            continue
        room -= cost
        kept.append(((event.position, event.first_line), evidence))
        whole = whole and evidence.text == event.text
    matches = len(kept)
    left -= max_bytes - room
    for neighbour in beside[: max(0, _MOST_ITEMS - matches)]:
        event = neighbour.event
        evidence = Evidence(neighbour.source, _bounded(event, _LEAST_BYTES, lambda _: None))
        if (cost := _cost(evidence)) <= left:
            left -= cost
            kept.append(((event.position, event.first_line), evidence))
    in_order = [evidence for _, evidence in sorted(kept, key=lambda item: item[0])]
    return Fitted(in_order, matches, whole)


def _cost(evidence: Evidence) -> int:
    return json_bytes(evidence.text) + json_bytes(evidence.source) + _ITEM_BYTES


def json_bytes(text: str) -> int:
    """Size of a text as a JSON string, in UTF-8 bytes."""
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def cut(text: str, max_bytes: int) -> str:
    """The longest beginning of a text whose UTF-8 form fits, ending between characters."""
    return text.encode("utf-8", "surrogatepass")[:max_bytes].decode("utf-8", "ignore")


def _bounded(event: Event, share: int, surroundings: Callable[[Event], str | None]) -> str:
    if event.total_bytes <= share:
        return event.text
    opening = cut(event.text, share)
    marker = f" …[cut, {event.total_bytes} bytes in all]"
    around = surroundings(event)
    if around is None or around in opening:
        return opening + marker
    return cut(opening, share - min(len(around.encode()), share // 2)) + marker + f"\n… {around} …"
