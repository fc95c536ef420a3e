"""The edge to the world: where data lies, and parts that several processes make at once."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from graph import Settings, SettingsError
from graph.sources import incident_database, make_tools
from graph.stores.folder import data_dir, private_dir

MAKERS = 8


def test_data_lies_where_it_is_configured_else_in_the_users_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    assert data_dir(Settings(data_dir=tmp_path / "own")) == tmp_path / "own"
    assert data_dir(Settings()) == tmp_path / "xdg" / "incident-diagnosis-agent"
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_dir(Settings()) == tmp_path / ".local" / "share" / "incident-diagnosis-agent"


def test_a_folder_that_exists_keeps_its_permissions(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    assert private_dir(Settings(data_dir=shared)).stat().st_mode & 0o777 == 0o755
    assert private_dir(Settings(data_dir=tmp_path / "new")).stat().st_mode & 0o777 == 0o700


def test_makers_of_the_incident_database_do_not_meet(tmp_path: Path) -> None:
    start = threading.Barrier(MAKERS)

    def make(_: int) -> Path:
        start.wait()
        return incident_database(tmp_path)

    with ThreadPoolExecutor(MAKERS) as makers:
        (built,) = set(makers.map(make, range(MAKERS)))
    with closing(sqlite3.connect(built)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("SELECT count(*) FROM tenant_setting_audit").fetchone()[0] > 0
    assert [file.name for file in built.parent.iterdir()] == [built.name]


def test_a_database_that_is_not_served_names_its_key_and_no_password(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, sources={"database": "oracle://root:canary@db/x"})
    with pytest.raises(SettingsError, match=r"^sources\.database: ") as refused:
        make_tools(settings)
    assert "canary" not in str(refused.value)
