"""The tools the model was bound to, known by their input fields, and what they say they hold."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from graph.offline.lexicon import pattern

_EXACT = r"(?<![A-Za-z0-9_.-]){}(?![A-Za-z0-9_]|[.-][A-Za-z])"
_TABLE = re.compile(r"(\w+)\"?\s*\(([^()]*)\)|(?:also|,)\s+\"?(\w+)\"?(?=[,.;])")
_SHORTEST_SQUASHED = 8


@dataclass
class Sources:
    """Tool names by kind, the services of the logs, the tables and their columns where listed."""

    logs: str = ""
    sql: str = ""
    knowledge: str = ""
    services: list[str] = field(default_factory=list)
    tables: dict[str, list[str]] = field(default_factory=dict)

    def mentioned(self, text: str) -> list[str]:
        """Services a text names in full, or else squashed ("Auth service", /basicservice/)."""
        known = [*self.services, *pattern("service").findall(text)]
        exact = [(re.search(_EXACT.format(re.escape(s)), text, re.I), s) for s in known]
        places = {(match.start(), service) for match, service in exact if match}
        squashed = re.sub(r"[\s_-]", "", text.lower())
        for service in self.services if not places else ():
            parts = re.split("[_-]", service.lower())
            for form in ("".join(parts), "".join(parts[1:]) if len(parts) > 2 else ""):
                if len(form) >= _SHORTEST_SQUASHED and form in squashed:
                    places.add((squashed.index(form), service))
        return list(dict.fromkeys(service.lower() for _, service in sorted(places)))


def read_sources(schemas: Iterable[dict[str, Any]]) -> Sources:
    """Read OpenAI-style function schemas; a tool with none of the known fields is left alone."""
    sources = Sources()
    for function in (schema["function"] for schema in schemas):
        fields = function["parameters"]["properties"].get("input", {}).get("properties", {})
        described = function.get("description", "")
        if "sql" in fields:
            sources.sql = function["name"]
            for name, columns, bare in _TABLE.findall(described.partition("Tables:")[2]):
                sources.tables[name or bare] = re.findall(r"(?:^|,)\s*\"?(\w+)", columns)
        elif "keyword" in fields:
            sources.logs = function["name"]
            listed = re.sub(r"\([^)]*\)| \d\d-\d\d[^,;:.]*", "", described.partition("ervices")[2])
            names = (part.strip(" .") for part in re.split("[,;:\n]", listed))
            sources.services = [name for name in names if re.fullmatch(r"[A-Za-z][\w.-]+", name)]
        elif "query" in fields:
            sources.knowledge = function["name"]
    return sources
