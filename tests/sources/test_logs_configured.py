"""`sources.logs` by path, file URL or database URL, and what is wrong said in one line."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from graph import Settings
from graph.settings import SettingsError
from graph.sources import make_sources
from tests.sources.log_table import make_table
from tools.logs import LogsQuery

TABLE = {"table": "app_logs", "time": "at", "level": "severity", "service": "svc", "message": "msg"}


def logs(tmp_path: Path, **sources: Any) -> Any:
    settings = Settings(data_dir=tmp_path / "data", sources={"enabled": ("logs",), **sources})
    (source,) = make_sources(settings)
    return source


def found(source: Any, **question: Any) -> list[str]:
    result = asyncio.run(source.tool.search(LogsQuery.model_validate(question)))
    return [item.source for item in result.evidence]


@pytest.mark.parametrize("spelled", ["path", "url", "localhost"])
def test_a_folder_is_named_by_path_or_url(tmp_path: Path, spelled: str) -> None:
    folder = tmp_path / "my logs"
    folder.mkdir()
    (folder / "pay.log").write_text("2025-01-01T00:00:00Z ERROR broke\n")
    url = folder.as_uri()
    names = {"path": folder, "url": url, "localhost": url.replace("file://", "file://localhost")}
    source = logs(tmp_path, logs=str(names[spelled]))
    assert found(source, service="pay", around=0) == ["pay.log:1"]
    assert source.tool.name == "query_logs"
    source.tool.close()


def test_a_large_log_is_kept_below_the_data_folder(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "pay.log").write_text("2025-01-01T00:00:00Z INFO fine\n" * 20_000)
    source = logs(tmp_path, logs=tmp_path / "logs")
    found(source, service="pay")
    source.tool.close()
    assert len(list((tmp_path / "data" / "logs").rglob("*.parquet"))) == 1


def test_a_table_is_named_by_its_url_and_columns(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'logs.db'}"
    make_table(url, "TEXT", [("2025-01-01 08:00:00", "ERROR", "pay", "broke")])
    source = logs(tmp_path, logs=url, logs_table=TABLE, logs_time_zone="Asia/Shanghai")
    at = "2025-01-01T00:00:00Z"
    assert found(source, service="pay", start=at, end=at, around=0) == ["app_logs:1"]
    assert source.tool.name == "query_logs"
    assert source.place == f"{url} (app_logs)"


def test_the_place_of_a_table_holds_no_credentials(tmp_path: Path) -> None:
    url = "postgresql://team:canary@db.internal/logs?password=canary"
    source = logs(tmp_path, logs=url, logs_table=TABLE)
    assert source.place == "postgresql://db.internal/logs (app_logs)"


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        ({"logs": "file://elsewhere/logs"}, "sources.logs"),
        ({"logs": "sqlite:///logs.db"}, "sources.logs_table"),
        ({"logs": "postgresql://u:canary@db/logs"}, "sources.logs_table"),
        ({"logs": "mongodb://u:canary@db/logs", "logs_table": TABLE}, "sources.logs"),
        ({"logs": "s3://canary/logs", "logs_table": TABLE}, "sources.logs"),
        ({"logs": "sqlite://", "logs_table": TABLE}, "sources.logs"),
        ({"logs": "logs", "logs_table": TABLE}, "sources.logs_table"),
        ({"logs": "sqlite:///logs.db", "logs_table": {"table": "x"}}, "sources.logs_table"),
        ({"logs": "sqlite:///logs.db", "logs_table": {**TABLE, "level": ""}}, "sources.logs_table"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_by_its_key_without_secrets(
    tmp_path: Path, sources: dict[str, Any], said: str
) -> None:
    with pytest.raises(SettingsError) as wrong:
        logs(tmp_path, **sources)
    assert said in str(wrong.value)
    assert "canary" not in str(wrong.value)
