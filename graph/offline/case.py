"""One case: what the evidence says about the question, and the next query that may narrow it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple

from graph.offline.dialogue import DAY, MARGIN, Fact, Observation, Question
from graph.offline.lexicon import concepts, filled, nouns, pattern, words

Query = tuple[str, dict[str, Any]]
_LONGEST_CHAIN, _SHORTEST_NAME, _SHORTEST_SQUASHED, _SHOWN = 6, 4, 8, 3
_EVENTS, _ROWS, _SECTIONS, _QUESTION_CHARACTERS = 15, 8, 3, 300


class Sources(NamedTuple):
    """Tool names by their field, the services of the logs, the tables and their columns."""

    tools: dict[str, str]
    services: list[str]
    tables: dict[str, list[str]]

    def mentioned(self, text: str) -> list[str]:
        """The services that a text names, in full or else squashed ("Stock service")."""
        exact, text = r"(?<![a-z0-9_.-]){}(?![a-z0-9_]|[.-][a-z])", text.lower()
        found = [(re.search(exact.format(re.escape(s)), text), s) for s in self.services]
        places = [(match.start(), service) for match, service in found if match]
        squashed = re.sub(r"[\s_-]", "", text)
        for service in self.services if not places else ():
            # a project's prefix (ts-, ops-) is often left out
            short = re.sub("[_-]|^[a-z]+-(?=.*-)", "", service)
            if len(short) >= _SHORTEST_SQUASHED and short in squashed:
                places.append((squashed.index(short), service))
        return [service for _, service in sorted(places)]


def read_sources(schemas: Iterable[dict[str, Any]]) -> Sources:
    """Read OpenAI-style function schemas; a tool with none of the known fields is left alone."""
    sources = Sources({}, [], {})
    for function in (schema["function"] for schema in schemas):
        fields = function["parameters"]["properties"].get("input", {}).get("properties", {})
        sources.tools.update(dict.fromkeys(fields, function["name"]))
        described = function.get("description", "")
        if "sql" in fields:
            # neither the length of a type nor a comment is a column
            bare = re.sub(r"\([\d, ]*\)|(?<=[\w)]) \"(?:[^\"\\]|\\.)*\"", "", described)
            for table, named in re.findall(r"(\w+)\"?\s*\(([^()]*)\)", bare.partition("Tables")[2]):
                sources.tables[table] = re.findall(r"(?:^|,)\s*\"?(\w+)", named)
        elif "keyword" in fields:
            listed = re.sub(r"\([^)]*\)| \d\d-\d\d[^,;:.]*", "", described.partition("ervices")[2])
            name = r"(?:^|[,;:\n])[ .]*([a-z][\w.-]*\w)[ .]*(?=[,;:\n]|$)"
            sources.services.extend(re.findall(name, listed.lower()))
    return sources


@dataclass(frozen=True)
class Case:
    """A question and everything seen so far."""

    question: Question
    sources: Sources
    seen: list[Observation]

    @property
    def bounded(self) -> bool:
        """Whether a bounded query can be made: the question allows it, or names a known service."""
        known = self.question.window and self.sources.mentioned(self.question.text)
        return self.question.bounded or bool(known)

    @cached_property
    def failures(self) -> list[Fact]:
        """Failures of the kind asked about, of the ids asked about where any is named."""
        asked = concepts(self.question.text) & set(words()["decisive"])
        found = sorted((f for one in self.seen for f in one.facts), key=lambda f: f.at)
        found = [f for f in found if f.failed and (not asked or asked & concepts(f.message))]
        if window := self.question.window:
            found = [f for f in found if window[0] <= f.at <= window[1]] or found
        return [f for f in found if any(id in f.text for _, id in self.question.ids)] or found

    @cached_property
    def chain(self) -> list[str]:
        """Services asked about, else the first to fail, then those that their failures name."""
        first = [f.service for f in self.failures if f.service and f.call == self.seen[0].call]
        chain = self.sources.mentioned(self.question.text)[:2] or list(dict.fromkeys(first))[:2]
        for service in chain:
            for fact in (f for f in self.failures if f.service == service):
                chain += [s for s in self.sources.mentioned(fact.message) if s not in chain]
        return chain[:_LONGEST_CHAIN]

    @cached_property
    def deepest(self) -> list[Fact]:
        """The failures of the last service in the chain that has any."""
        by_service = [[f for f in self.failures if f.service == s] for s in self.chain]
        return next((failing for failing in reversed(by_service) if failing), self.failures)

    @cached_property
    def root(self) -> Fact | None:
        """The first of the deepest that says something new."""
        return max(filter(self._new, self.deepest), key=lambda f: f.failed, default=None)

    def _new(self, fact: Fact) -> bool:
        """Whether a failure is specific, not passed on, and says more than the question did."""
        said, asked = concepts(fact.message), concepts(self.question.text)
        # neither a failed connection nor a failed login explains itself
        known = "login" in said & asked or ("unreachable" in said and said - {"slow"} <= asked)
        known |= any(phrase.lower() in fact.message.lower() for phrase in self.question.phrases)
        known |= bool(pattern("passed_on").search(fact.message))
        return not known and bool(fact.row or fact.names)

    @cached_property
    def onset(self) -> datetime | None:
        """When the failure first shows."""
        return next((f.at for f in (*self.deepest, *self.failures)), None)

    @cached_property
    def causes(self) -> list[tuple[str, Fact]]:
        """What had changed before the onset or run out by then; database rows first."""
        facts = (fact for one in reversed(self.seen) for fact in one.facts)
        found = [(kind, fact) for fact in facts if (kind := self._explains(fact))]
        return sorted(found, key=lambda cause: (cause[0], not cause[1].row))[:_SHOWN]

    def _explains(self, fact: Fact) -> str | None:
        """How it explains the failures: by a name that they share, or by an id that had run out."""
        if not self.onset:
            return None
        said = " ".join(failure.message for failure in self.failures if failure != fact)
        asked = {*self.chain, *(value for _, value in self.question.ids)}
        names = {*map(str, fact.row.values()), *fact.names} - asked
        shared = any(len(name) >= _SHORTEST_NAME and name in said for name in names)
        if shared and (filled(fact.row, "changed") or pattern("change").search(fact.message)):
            before = self.onset - fact.at
            return "change" if timedelta() <= before <= (DAY if fact.row else MARGIN) else None
        until = filled(fact.row, "until") if any(value in fact.text for value in asked) else []
        return "validity" if any(end < f"{self.onset:%Y-%m-%d %H:%M:%S}" for end in until) else None

    @cached_property
    def telling(self) -> set[str]:
        """What narrows the hypothesis, numbers and hex ids aside."""
        told = [fact for _, fact in self.causes]
        for f in self.failures:
            onward = set(self.sources.mentioned(f.message)) - {f.service}
            told += [f] if f.row or onward or self._new(f) else []
        said = (fact.text if fact.row else fact.message for fact in told)
        return {re.sub(r"\b[0-9a-f]{8,}\b|\d+", "#", text) for text in said}

    def draft(self) -> dict[str, Any]:
        """A whole draft (`api.md`). Without a bounded query to make, it names what is missing."""
        question, analysis = self.question, []
        said = words()["zh" if pattern("chinese").search(question.text) else "en"]
        known = (question.ids or question.names, question.window, question.phrases)
        gaps = [gap for gap, stated in zip(said["gaps"], known, strict=True) if not stated]
        root = self.root or (self.deepest[0] if self.causes else None)
        for kind, fact in [*self.causes, *([("failure", root)] if root else [])]:
            citation = {"tool_call_id": fact.call, "evidence_id": fact.id, "quote": fact.quote()}
            statement = f"{said[kind]}: {fact.service} {fact.said()}"
            analysis.append({"statement": statement, "citations": [citation]})
        conclusion = "; ".join(str(claim["statement"]) for claim in analysis) or None
        missing = {"missing_info": [] if self.bounded or self.seen else gaps, "notes": []}
        return {
            "conclusion": conclusion,
            "analysis": analysis,
            "limitations": missing,
            "next_steps": [],
        }

    def next_query(self) -> Query | None:
        """The first query not asked yet that may narrow the hypothesis."""
        asked = [one.asked for one in self.seen]
        return next((query for query in self._queries() if query not in asked), None)

    def _queries(self) -> Iterator[Query]:
        question, tools = self.question, self.sources.tools
        if any(fact.row for _, fact in self.causes):
            return
        statements = self._statements() if "sql" in tools else ()
        rows = [(tools["sql"], {"sql": sql, "limit": _ROWS}) for sql in statements]
        if self.root or not (self.sources.mentioned(question.text) or question.phrases):
            yield from rows
        if "keyword" in tools and question.window and not any(f.row for f in self.failures):
            start, end = question.window[0] - MARGIN, question.window[1]
            window = {"start": start.isoformat(), "end": end.isoformat()}
            for scope in self._scopes():
                yield tools["keyword"], window | scope | {"limit": _EVENTS}
        yield from rows
        if "query" in tools and not self.telling:
            query = question.text[:_QUESTION_CHARACTERS]
            yield tools["query"], {"query": query, "limit": _SECTIONS}

    def _scopes(self) -> Iterator[dict[str, str]]:
        """By words where no service is named, down the chain, then who speaks of the service."""
        question, named = self.question, self.sources.mentioned(self.question.text)
        said = [*question.phrases, *(value for _, value in question.ids), *question.names][:1]
        yield from ({"keyword": word} for word in said if not named)
        read = {fact.service for one in self.seen for fact in one.facts}
        yield from ({"service": service} for service in sorted(self.chain, key=read.__contains__))
        yield from ({"keyword": service} for service in named[:1] if not self.failures)

    def _statements(self) -> list[str]:
        """Rows of the ids asked about: what failed; once that is known, what changed or ran out."""
        about = nouns(self.question.text).difference(*(before for before, _ in self.question.ids))
        found, end = [], self.onset or (self.question.window or [datetime.now(UTC)])[-1]
        moment = f"'{end.astimezone(UTC):%Y-%m-%d %H:%M:%S}'"
        topics = {one: len(about & nouns(one.replace("_", " "))) for one in self.sources.tables}
        for table, columns in self.sources.tables.items():
            when = next(filter(pattern("when").search, columns), None)
            latest = f" AND {when} <= {moment} ORDER BY {when} DESC" if when else ""
            for order, kind in enumerate(("changed", "until") if self.failures else ("reason",)):
                for before, value in self.question.ids * any(map(pattern(kind).search, columns)):
                    keys = [c for c in columns if re.sub("_(id|no|code|key)$", "", c) in before]
                    rows = [f"SELECT * FROM {table} WHERE {key} = '{value}'" for key in keys]
                    found += [(order, -topics[table], sql + latest) for sql in rows]
        # what failed elsewhere than in what the question is about is no answer to it
        every = self.failures or not any(topics.values())
        return [sql for _, topic, sql in sorted(found) if topic or every]
