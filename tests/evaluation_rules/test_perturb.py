"""Perturbed copies: dates move alike, names and ids change alike, a seed says the same twice."""

import gzip
import json
from pathlib import Path

import pytest

from graph.evaluation.calendar import moved_dates
from graph.evaluation.cases import CasesError
from graph.evaluation.perturb import perturb


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        ("2031-05-02T09:00:01Z", "2031-05-16T09:00:01Z"),
        ("2031 年 5 月 2 日 下午 5:33", "2031 年 5 月 16 日 下午 5:33"),
        ("31/05/02 20:10:01", "31/05/16 20:10:01"),
        ("20310502-22:15:29", "20310516-22:15:29"),
        ("on 2 May 2031", "on 16 May 2031"),
        ("on December 25, 2031", "on January 8, 2032"),
        ("Dec  9 10:54:27 host", "Dec 23 10:54:27 host"),
        ("[Sun Dec 04 04:47:44 2005]", "[Sun Dec 18 04:47:44 2005]"),
        ("2031-02-31 is no day, 4.18.0 no date", "2031-02-31 is no day, 4.18.0 no date"),
        ("order 20310599 stays", "order 20310599 stays"),
    ],
)
def test_moves_dates_in_their_own_spelling(text: str, moved: str) -> None:
    assert moved_dates(text, 2) == moved


def test_moving_back_restores() -> None:
    text = "2031-05-02 09:00 and 31/05/02 10:54 and 2 May 2031"
    assert moved_dates(moved_dates(text, 60), -60) == text


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    (folder / "logs" / "cart").mkdir(parents=True)
    (folder / "db").mkdir()
    line = {
        "timestamp": "2031-05-02T09:00:01Z",
        "service": "cart-service",
        "message": "t_blue: 503",
    }
    packed = gzip.compress(f"{json.dumps(line)}\n".encode())
    (folder / "logs" / "cart" / "cart-service.jsonl.gz").write_bytes(packed)
    (folder / "db" / "shop.sql").write_text(
        "CREATE TABLE orders (order_id INT, tenant_id VARCHAR(9));"
        "INSERT INTO orders VALUES (20771, 't_blue');",
        encoding="utf-8",
    )
    case = {
        "id": "A1",
        "query": "cart-service failed for order 20771 of t_blue on 2031-05-02",
        "expected": {"outcome": "SUCCESS", "must_cite": ["logs/cart/cart-service.jsonl.gz:1"]},
    }
    trace = {**case, "query": "why did 1f0a3c52-6a51-4f0e-8d33-2a1f5f1f9d10", "note": "1f0a3c52"}
    lines = f"{json.dumps(case)}\n{json.dumps(trace)}\n"
    (folder / "cases.jsonl").write_text(lines, encoding="utf-8")
    return folder


def read(folder: Path) -> dict[str, bytes]:
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def test_renames_alike_in_cases_files_and_paths(data: Path, tmp_path: Path) -> None:
    perturb(data / "cases.jsonl", data, tmp_path / "new", seed=3)
    files = read(tmp_path / "new")
    case, trace = map(json.loads, files["cases.jsonl"].splitlines())
    place = case["expected"]["must_cite"][0].removesuffix(":1")
    line = json.loads(gzip.decompress(files[place]))
    words = case["query"].split()
    assert line["service"] == words[0] != "cart-service"
    assert line["timestamp"].startswith(words[-1])
    assert line["message"] == f"{words[6]}: 503"
    assert words[4] in files["db/shop.sql"].decode()
    assert trace["query"].split()[-1][:8] == trace["note"]
    for old in ("1f0a3c52", "cart-service", "20771", "t_blue", "2031-05-02"):
        assert not any(old in content.decode("latin-1") for content in files.values())


def test_the_same_seed_says_the_same(data: Path, tmp_path: Path) -> None:
    for name, seed in (("one", 3), ("two", 3), ("three", 4)):
        perturb(data / "cases.jsonl", data, tmp_path / name, seed)
    one, two, three = (read(tmp_path / name) for name in ("one", "two", "three"))
    assert one == two != three


def test_never_writes_into_what_exists(data: Path) -> None:
    with pytest.raises(CasesError, match="exists"):
        perturb(data / "cases.jsonl", data, data, seed=1)
