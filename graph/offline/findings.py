"""What the evidence says about one question: the chain, the first failure at its end, its cause."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from graph.offline.evidence import Fact, Observation
from graph.offline.lexicon import concepts, nouns, pattern, words
from graph.offline.question import Question
from graph.offline.sources import Sources

_SOON = timedelta(minutes=20)
_LOOK_BACK = {"event": timedelta(minutes=10), "row": timedelta(hours=24)}
_LONGEST_CHAIN = 6


@dataclass(frozen=True)
class Link:
    """A fact that narrows the hypothesis: how, and the words in it that matter."""

    kind: str
    fact: Fact
    wanted: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Equal for facts that say the same, numbers and hex ids aside."""
        said = self.fact.text if self.fact.kind == "row" else self.fact.message
        return self.kind, re.sub(r"\b[0-9a-f]{8,}\b|\d+", "#", said)


@dataclass(frozen=True)
class Findings:
    """Everything seen so far, read for one question.

    `facts`: events and rows, each once, in time order. `failures`: those that state a failure of
    the kind asked about, of the ids asked about where any does. `chain`: services asked about, else
    the first to fail, then those that their failures name. `deepest`: the failures of the last one
    that has any. `root`: the first of these that is specific, new and not passed on. `onset`: when
    the failure first shows. `counts`: rows that say how many rows each table holds. `links`: all
    narrowing facts, those that explain before failures.
    """

    question: Question
    sources: Sources
    seen: list[Observation]

    @property
    def bounded(self) -> bool:
        """Whether a bounded query can be made: the question allows it, or names a known service."""
        known = self.question.start and self.sources.mentioned(self.question.text)
        return self.question.bounded or bool(known)

    @cached_property
    def facts(self) -> list[Fact]:
        found = [fact for one in self.seen for fact in one.facts if fact.kind != "text"]
        found = [f for f in found if not f.source.endswith(": summary")]
        once: dict[tuple[str, str], Fact] = {}
        for fact in found:
            once.setdefault((fact.source, fact.text), fact)
        return sorted(once.values(), key=lambda f: (f.at is None, f.at and f.at.timestamp()))

    @cached_property
    def failures(self) -> list[Fact]:
        asked, failing = self.question.concepts & set(words()["decisive"]), pattern("failure")
        found = [f for f in self.facts if f.rank > 1 or (f.rank and failing.search(f.message))]
        found = [f for f in found if f.kind == "event" or self._on_topic(f)]
        found = [f for f in found if not asked or asked & concepts(f.message)]
        found = [f for f in found if f.at and f.at >= (self.question.stated or f.at)] or found
        owned = [f for f in found if self.owned(f)]
        return owned if any(f.rank > 1 for f in owned) else found

    def _on_topic(self, row: Fact) -> bool:
        """Whether the question speaks of its table or of none, or it says an id asked about."""
        known = set(words()["groups"]).union(*(before for before, _ in self.question.ids))
        about = nouns(self.question.text) - known
        topics = [t for t in self.sources.tables if about & nouns(t.replace("_", " "))]
        named = any(value in row.message for _, value in self.question.ids)
        return (
            named or not topics or any(re.search(rf"\b{table}\b", row.source) for table in topics)
        )

    @cached_property
    def chain(self) -> list[str]:
        events = [(self.service(f), f) for f in self.failures if f.kind == "event"]
        first = [service for service, f in events if service and f.call == self.seen[0].call]
        chain = self.sources.mentioned(self.question.text)[:2] or list(dict.fromkeys(first))[:2]
        for service in chain:
            for fact in (f for s, f in events if s == service):
                chain += [s for s in self.sources.mentioned(fact.message) if s not in chain]
        return chain[:_LONGEST_CHAIN]

    @cached_property
    def deepest(self) -> list[Fact]:
        by_service = [[f for f in self.failures if self.service(f) == s] for s in self.chain]
        return next((failing for failing in reversed(by_service) if failing), self.failures)

    @cached_property
    def root(self) -> Fact | None:
        found = [f for f in self.deepest if f.kind == "row" or f.names - {self.service(f)}]
        found = [f for f in found if not pattern("passed_on").search(f.message)]
        found = [f for f in found if not self.restated(f) and f.rank > (f.kind == "row")]
        return next((f for f in found if f.rank > 1), next(iter(found), None))

    @cached_property
    def onset(self) -> datetime | None:
        times = [f.at for f in (*self.deepest, *self.failures) if f.at and f.rank > 1]
        return times[0] if times else self.question.start

    @cached_property
    def counts(self) -> list[Fact]:
        tables = set(self.sources.tables)
        return [f for f in self.facts if f.kind == "row" and f.row and set(f.row) <= tables]

    @cached_property
    def links(self) -> list[Link]:
        found = [Link("held", f) for f in self.counts if any(f.row.values())]
        if self.failures:
            found += [*self._changes(), *self._explanations(), *self._sources()]
        for fact in self.failures:
            onward = set(self.sources.mentioned(fact.message)) - {self.service(fact)}
            if fact.kind == "row" or onward or (fact.names and not self.restated(fact)):
                found.append(Link("row" if fact.kind == "row" else "failure", fact))
        return found

    def service(self, fact: Fact) -> str:
        """Whose event it is; nothing for a row."""
        if fact.kind == "row":
            return ""
        file = re.sub(r"^.*/|\..*", "", fact.source)
        named = [*self.sources.mentioned(file), file]
        return str(fact.row.get("service") or fact.asked_service or named[0]).lower()

    def owned(self, fact: Fact) -> bool:
        """Whether it names an id in the question."""
        return any(value in fact.text for _, value in self.question.ids)

    def restated(self, fact: Fact) -> bool:
        """Whether it says only what the question said already."""
        said = concepts(fact.message)
        repeated = any(phrase.lower() in fact.message.lower() for phrase in self.question.phrases)
        return repeated or ("unreachable" in said and said - {"slow"} <= self.question.concepts)

    def shared(self, fact: Fact) -> str:
        """A name in the fact that failures use too, other than what was asked about; or nothing."""
        said = " ".join(f.message for f in self.failures if f != fact)
        asked = {value for _, value in self.question.ids} | set(self.chain)
        names = map(str, fact.row.values()) if fact.kind == "row" else sorted(fact.names)
        return next((n for n in names if len(n) >= 5 and n not in asked and n in said), "")

    def _changes(self) -> list[Link]:
        """What changed shortly before the onset and has to do with the failure."""
        found = []
        for fact in self.facts:
            if not fact.at or not self.onset:
                continue
            before, shared, event = self.onset - fact.at, self.shared(fact), fact.kind == "event"
            tied = shared or (self.owned(fact) and before <= _SOON)
            tied = self.service(fact) in self.chain[-1:] if event else tied
            changed = pattern("change").search(fact.message) if event else fact.filled("changed")
            if tied and changed and timedelta(0) <= before <= _LOOK_BACK[fact.kind]:
                found.append(Link("change", fact, shared))
        return sorted(found, key=lambda link: (not link.wanted, -link.fact.rank))

    def _explanations(self) -> Iterator[Link]:
        """Rows that had run out, and states that the failure names, with their dictionary row."""
        rows = [f for f in self.facts if f.kind == "row"]
        said = " ".join(f.message for f in self.failures if f.kind == "event").lower()
        moment = f"{self.onset:%Y-%m-%d %H:%M:%S}" if self.onset else ""
        for fact in (f for f in rows if self.owned(f) or self.shared(f)):
            for column, value in ((c, str(v)) for c, v in fact.row.items() if v is not None):
                over = pattern("until").search(column) and moment > value
                if over or (pattern("from").search(column) and moment < value):
                    yield Link("validity", fact, value)
                if re.search(rf"\b{re.escape(column.lower())}\b", said):
                    yield Link("state", fact, f'"{column}"')
                    meant = [f for f in rows if column in f.source and value in f.filled("code")]
                    yield from (Link("state", other) for other in meant)

    def _sources(self) -> Iterator[Link]:
        """Failed logins that come mostly from one address."""
        logins = [f for f in self.failures if "login" in concepts(f.message)]
        found = Counter(a for f in logins for a in set(pattern("address").findall(f.message)))
        for address, count in found.most_common(1):
            if "login" in self.question.concepts and count >= 3 and 2 * count > found.total():
                yield from (Link("source", f, address) for f in logins if address in f.message)
