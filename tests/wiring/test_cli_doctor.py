"""`diagnose doctor`: every configured part is asked, and what does not answer is named."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from graph.cli import app
from tests.stores.postgres_server import PASSWORD
from tests.stores.redis_server import RedisServer

PARTS = ["model", "sessions", "records", "lookup_knowledge", "query_logs", "query_mysql"]
Doctor = Callable[..., Result]


@pytest.fixture
def doctor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Doctor:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def run(*words: str, **environment: Any) -> Result:
        return CliRunner().invoke(app, ["doctor", *words], env=environment)

    return run


def verdicts(done: Result) -> dict[str, str]:
    return {
        line.split()[0]: line.split()[1]
        for line in done.stdout.splitlines()
        if line.strip() == line.rstrip() != ""
    }


def test_everything_answers_on_a_fresh_machine(doctor: Doctor) -> None:
    done = doctor()
    assert verdicts(done) == dict.fromkeys(PARTS, "answers")
    assert done.exit_code == 0
    assert "rules model" in done.stdout
    assert "".join(done.stdout.split()).count("keptuntilpruned") == 2


def test_who_may_not_measure_the_records_is_told(
    doctor: Doctor, records_redis: RedisServer
) -> None:
    with records_redis.admin() as admin:
        admin.execute_command("ACL", "SETUSER", "small", "on", ">canary", "~*", "+hmget")
        done = doctor(STORES__RECORDS__URL=f"redis://small:canary@127.0.0.1:{records_redis.port}")
        admin.execute_command("ACL", "DELUSER", "small")
    assert verdicts(done)["records"] == "answers"
    said = " ".join(done.stdout.split())
    assert "an unknown size (INVOCATION_STORE_ACCESS_DENIED)" in said


def test_a_source_that_does_not_answer_is_named_by_its_code(doctor: Doctor, tmp_path: Path) -> None:
    done = doctor(
        SOURCES__LOGS=str(tmp_path / "no-logs"),
        SOURCES__KNOWLEDGE=str(tmp_path / "no-runbooks"),
        SOURCES__DATABASE=f"sqlite:///{tmp_path}/no.sqlite",
    )
    said = verdicts(done)
    assert done.exit_code == 2
    assert [part for part, verdict in said.items() if verdict != "answers"] == PARTS[3:]
    assert all(verdict.isupper() for verdict in list(said.values())[3:])
    assert str(tmp_path / "no-logs") in done.stdout


def test_a_broken_store_is_named(doctor: Doctor, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    for name in ("sessions.sqlite", "invocations.sqlite"):
        (folder / name).write_bytes(b"not a database at all" * 100)
    done = doctor("--data-dir", str(folder))
    said = verdicts(done)
    assert done.exit_code == 2
    assert said["sessions"] == "SESSION_STORE_UNAVAILABLE"
    assert said["records"] == "INVOCATION_STORE_UNAVAILABLE"
    assert said["query_logs"] == "answers"


def test_a_provider_that_does_not_answer_is_a_code_without_its_secrets(doctor: Doctor) -> None:
    # a closed port on loopback
    done = doctor(
        OPENAI_API_KEY="sk-canary",
        OPENAI_MODEL="some-model",
        OPENAI_BASE_URL="http://user:canary@127.0.0.1:9/v1?key=canary",
    )
    assert verdicts(done)["model"] == "MODEL_UNAVAILABLE"
    assert "some-model at http://127.0.0.1:9/v1" in done.stdout
    assert done.exit_code == 2
    assert "canary" not in done.output


def test_shared_stores_answer_and_show_no_credentials(
    doctor: Doctor, postgres_url: str, records_redis: RedisServer
) -> None:
    url = f"redis://default:canary@127.0.0.1:{records_redis.port}/0"
    with records_redis.admin() as admin:
        admin.execute_command("ACL", "SETUSER", "default", ">canary")
        try:
            done = doctor(STORES__SESSIONS__URL=postgres_url, STORES__RECORDS__URL=url)
        finally:
            # the server serves other tests too
            admin.execute_command("ACL", "SETUSER", "default", "resetpass", "nopass")
    assert verdicts(done) == dict.fromkeys(PARTS, "answers")
    said = " ".join(done.stdout.split())
    assert re.search(r"PostgreSQL at 127\.0\.0\.1, [\d.]+ \wB; kept until pruned", said)
    assert re.search(
        r"Redis at 127\.0\.0\.1, about [\d.]+ (bytes|\wB); a record expires after 7 days", said
    )
    assert "canary" not in done.output
    assert "team" not in done.output


@pytest.mark.parametrize("password", [PASSWORD, "wrong-canary"])
def test_shared_stores_that_do_not_answer_are_named(
    doctor: Doctor, postgres_url: str, password: str
) -> None:
    url = postgres_url.replace(PASSWORD, password)
    if password == PASSWORD:
        url = f"postgresql://team:{PASSWORD}@127.0.0.1:9/sessions"  # a closed port
    done = doctor(STORES__SESSIONS__URL=url, STORES__RECORDS__URL="redis://:canary@127.0.0.1:9")
    said = verdicts(done)
    assert said["sessions"] == "SESSION_STORE_UNAVAILABLE"
    assert said["records"] == "INVOCATION_STORE_UNREACHABLE"
    assert said["model"] == "answers"
    assert done.exit_code == 2
    assert "canary" not in done.output


def test_a_missing_extra_is_named(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    done = doctor(STORES__SESSIONS__URL="postgresql://team:canary@db/x")
    assert verdicts(done)["sessions"] == "WRONG_SETTING"
    assert "stores.sessions.url: PostgreSQL needs the extra 'postgres'" in done.stdout
    assert "canary" not in done.output


def test_wrong_settings_are_told_beside_what_answers(doctor: Doctor) -> None:
    done = doctor(OPENAI_API_KEY="sk-canary", SOURCES__DATABASE="oracle://root:canary@db/x")
    said = verdicts(done)
    assert said["model"] == said["sources"] == "WRONG_SETTING"
    assert said["sessions"] == said["records"] == "answers"
    assert "models.name: " in done.stdout
    assert "sources.database: " in done.stdout
    assert done.exit_code == 2
    assert "canary" not in done.output
