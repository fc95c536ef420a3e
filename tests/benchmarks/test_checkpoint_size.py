"""Bytes, unlike times, are the same on every machine: these may decide (C1.2)."""

from itertools import pairwise
from pathlib import Path

import pytest

from tests.benchmarks.saved_runs import DIAGNOSIS, store_runs
from tests.benchmarks.stored import plain_channel_bytes

MEGABYTE = 1_000_000


async def test_200_gaining_rounds_of_a_kilobyte_cost_less_than_a_megabyte(tmp_path: Path) -> None:
    whole = await store_runs(DIAGNOSIS, 200, tmp_path / "200")
    assert whole.rows < MEGABYTE
    half = await store_runs(DIAGNOSIS, 100, tmp_path / "100")
    assert whole.rows < 2 * half.rows, "linear, and the run's begin and end only once"
    assert plain_channel_bytes(tmp_path / "200") < 200


async def test_growth_is_linear(tmp_path: Path) -> None:
    # each of these runs finds more than a release names, so that all end in equally many bytes
    sizes = [(await store_runs(DIAGNOSIS, n, tmp_path / f"{n}")).rows for n in (40, 60, 80)]
    assert sizes[2] - sizes[1] == pytest.approx(sizes[1] - sizes[0], rel=0.02)


async def test_a_session_grows_by_its_public_messages_only(tmp_path: Path) -> None:
    # C1.3: what an earlier run left in the thread is not stored again in every step of the next
    sizes = [
        (await store_runs(DIAGNOSIS, 4, tmp_path / f"{runs}", runs=runs)).rows
        for runs in range(5)[1:]
    ]
    runs = [after - before for before, after in pairwise(sizes)]
    assert runs[2] - runs[1] == pytest.approx(runs[1] - runs[0], rel=0.1)
    assert runs[2] < 1.3 * runs[0]
