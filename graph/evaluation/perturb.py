"""The same cases and data under other names, ids and dates: does a score rest on what was seen?

    python -m graph.evaluation.perturb CASES.jsonl --data FOLDER --out NEW_FOLDER --seed 7

Renamed everywhere alike: services (`a-b-service`, `ABServiceImpl`, `/abservice/`), text ids of the
database's `*_id` columns, and the long numbers and UUIDs that questions name. All dates move by the
same number of weeks, so weekdays and times of day stay true. Deterministic by seed; for text logs
(gz too), Markdown and SQL. Writes `cases.jsonl`, `logs/`, `knowledge/` and `db/` into a new folder.
"""

import argparse
import gzip
import json
import random
import re
import sqlite3
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from graph.evaluation.calendar import moved_dates
from graph.evaluation.cases import CasesError

Change = Callable[[str], str]

_FOLDERS = ("logs", "knowledge", "db")
_DROPPED_FIELDS = ("verify", "source_url", "licence")
_GENERIC = frozenset(["service", "api", "server", "gateway", "worker", "processor", "portal"])
_SYLLABLES = re.findall("..", "bacedifogukaleminopurasetivozu")
_POD = re.compile(r"(?:-[0-9a-f]{7,10})?-[a-z0-9]{5}$")
_SERVICE = re.compile(r"\"service\": ?\"([\w.-]+)\"")
_PROGRAM = re.compile(r"^[A-Z][a-z]{2} [ \d]\d [\d:]{8} \S+ ([A-Za-z]\w+)\[\d+\]:", re.MULTILINE)
_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_NUMBER = re.compile(r"(?<!\d)\d{5,}(?!\d)")
_SHORTEST_SERVICE = 4
_MAX_WEEKS = 180


def perturb(cases: Path, data: Path, out: Path, seed: int) -> None:
    """Write the perturbed copy to `out`, which must not exist. Raises `CasesError`."""
    if out.exists():
        raise CasesError(f"{out}: exists already")
    rng = random.Random(seed)
    lines = [json.loads(line) for line in _text(cases).splitlines() if line.strip()]
    files = sorted(f for name in _FOLDERS for f in (data / name).rglob("*") if f.is_file())
    questions = " ".join(str(line["query"]) for line in lines)
    rename = _renaming(sorted(_services(data, files)), _ids(data, questions), questions, rng)
    weeks = rng.choice([-1, 1]) * rng.randint(20, _MAX_WEEKS)

    def change(text: str) -> str:
        return moved_dates(rename(text), weeks)

    out.mkdir(parents=True)
    kept = ({k: v for k, v in line.items() if k not in _DROPPED_FIELDS} for line in lines)
    changed = (json.dumps(_deep(line, change), ensure_ascii=False) + "\n" for line in kept)
    (out / "cases.jsonl").write_text("".join(changed), encoding="utf-8")
    for file in files:
        _copy(file, out / rename(str(file.relative_to(data))), change)


def _text(file: Path) -> str:
    raw = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    return raw.decode("utf-8", "surrogateescape")


def _copy(file: Path, target: Path, change: Change) -> None:
    raw = change(_text(file)).encode("utf-8", "surrogateescape")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(raw, mtime=0) if file.suffix == ".gz" else raw)


def _deep(value: Any, change: Change) -> Any:
    if isinstance(value, list):
        return [_deep(item, change) for item in value]
    if isinstance(value, dict):
        return {key: _deep(item, change) for key, item in value.items()}
    return change(value) if isinstance(value, str) else value


def _services(data: Path, files: Iterable[Path]) -> set[str]:
    """Stated in JSON lines, by a syslog program, or by a log file's name without pod and suffix."""
    found = set()
    for file in (file for file in files if file.is_relative_to(data / "logs")):
        text = _text(file)
        stem = _POD.sub("", file.name.split(".")[0].removesuffix("_2k"))
        found |= {stem, *_SERVICE.findall(text), *_PROGRAM.findall(text)}
    names = {name.lower() for name in found}
    named = {name for name in names if re.fullmatch(r"[a-z][a-z0-9_-]+", name)}
    return {name for name in named if len(name) >= _SHORTEST_SERVICE}


def _ids(data: Path, questions: str) -> set[str]:
    """Texts with a letter in `*_id` columns; the UUIDs of questions, and their first groups."""
    found = set(_UUID.findall(questions))
    with closing(sqlite3.connect(":memory:")) as database:
        for script in sorted((data / "db").glob("*.sql")):
            database.executescript(script.read_text(encoding="utf-8"))
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            for column in (row[1] for row in database.execute(f'PRAGMA table_info("{table}")')):
                if column.endswith("_id"):
                    rows = database.execute(f'SELECT DISTINCT "{column}" FROM "{table}"')
                    found |= {v for (v,) in rows if isinstance(v, str) and re.search("[a-z]", v)}
    return found | {uuid[:8] for uuid in found if _UUID.fullmatch(uuid)}


def _renaming(services: Sequence[str], ids: set[str], questions: str, rng: random.Random) -> Change:
    """One function that renames services, ids and numbers in any text."""
    parts = sorted({p for name in services for p in re.split("[-_]", name)} - _GENERIC)
    words = {part: "".join(rng.sample(_SYLLABLES, 3))[: max(2, len(part))] for part in parts}
    changed = {one: _same_shape(one, rng) for one in sorted(ids, key=lambda i: (-len(i), i))}
    changed |= {u[:8]: changed[u][:8] for u in changed if _UUID.fullmatch(u)}
    numbers = {n: _same_shape(n, rng) for n in sorted(set(_NUMBER.findall(questions)))}
    spelled = sorted({f for name in services for f in _forms(name)}, key=lambda f: (-len(f), f))
    service = re.compile("|".join(map(_spelling, spelled)) or r"(?!)")
    exact = re.compile("|".join(rf"(?<![\w-]){re.escape(i)}(?![\w])" for i in changed) or r"(?!)")
    part = re.compile("|".join(sorted(words, key=lambda w: (-len(w), w))) or r"(?!)", re.IGNORECASE)

    def rename(text: str) -> str:
        text = service.sub(lambda m: part.sub(lambda p: _like(p[0], words), m[0]), text)
        text = exact.sub(lambda m: changed[m[0]], text)
        return _NUMBER.sub(lambda m: numbers.get(m[0], m[0]), text)

    return rename


def _forms(name: str) -> list[tuple[str, ...]]:
    """A name's parts, and without a short prefix, as paths and classes write it."""
    parts = tuple(re.split("[-_]", name))
    return [parts, parts[1:]] if len(parts) > 2 and len(parts[0]) < _SHORTEST_SERVICE else [parts]


def _spelling(parts: tuple[str, ...]) -> str:
    first_letters = (f"[{part[0]}{part[0].upper()}]{re.escape(part[1:])}" for part in parts)
    one_word = len(parts) == 1
    body = f"(?i:{re.escape(parts[0])})" if one_word else "[-_ ]?".join(first_letters)
    return rf"(?<![A-Za-z0-9]){body}(?![a-z0-9])"


def _like(word: str, words: dict[str, str]) -> str:
    new = words[word.lower()]
    if word.isupper() and len(word) > 1:
        return new.upper()
    return new.title() if word[0].isupper() else new


def _same_shape(value: str, rng: random.Random) -> str:
    """Another value with digits for digits and letters for letters; a prefix like `u_` stays."""
    prefix = (re.match(r"[a-z]+_", value) or [""])[0]
    letters = "abcdef" if _UUID.fullmatch(value) else "bcdfghjklmnpqrstvwxz"

    def other(character: str) -> str:
        if character.isdigit():
            return str(rng.randint(1, 9))
        return rng.choice(letters) if character.islower() else character

    return prefix + "".join(map(other, value[len(prefix) :]))


def main(arguments: Sequence[str] | None = None) -> int:
    """Write a perturbed copy; 2 for files that cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m graph.evaluation.perturb")
    parser.add_argument("cases", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    try:
        perturb(given.cases, given.data, given.out, given.seed)
    except (CasesError, OSError, ValueError, sqlite3.Error) as error:
        print(f"{given.cases}: {type(error).__name__}: {error}", file=sys.stderr)  # noqa: T201
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
