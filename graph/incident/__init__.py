"""The small incident that ships with us: logs, runbooks, a database seeded from SQL, questions.

Fictional and invented for this product, in Chinese and English. `questions.jsonl` holds questions
about it with their expected outcomes, in the format that `graph.evaluation` scores.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
LOGS = FOLDER / "logs"
KNOWLEDGE = FOLDER / "knowledge"
SQL_SCRIPTS = FOLDER / "db"
QUESTIONS = FOLDER / "questions.jsonl"


def build_database(target: Path, scripts: Path = SQL_SCRIPTS) -> Path:
    """Load every `*.sql` of `scripts`, by name, into a new SQLite file `target`; returns `target`.

    Written beside the target and moved over it, so that a reader never meets half a database.
    Raises `sqlite3.Error` for a script that does not load, `OSError` for an unusable file.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f"{target.name}.{os.getpid()}.new")
    draft.unlink(missing_ok=True)
    with closing(sqlite3.connect(draft)) as connection:
        for script in sorted(scripts.glob("*.sql")):
            connection.executescript(script.read_text(encoding="utf-8"))
    return draft.replace(target)
