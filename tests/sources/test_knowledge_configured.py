"""Where the configured knowledge source keeps its index."""

import stat
from pathlib import Path

from graph.settings import Settings
from graph.sources import make_sources


async def found(settings: Settings) -> list[str]:
    tool = make_sources(settings)[0].tool
    assert tool.name == "lookup_knowledge"
    result = await tool.search(tool.Input(query="broker"))
    return [piece.source for piece in result.evidence]


def settings_for(tmp_path: Path, data: Path) -> Settings:
    runbooks = tmp_path / "runbooks"
    runbooks.mkdir()
    (runbooks / "a.md").write_text("# Broker\nrestarts\n")
    return Settings(
        data_dir=data, sources={"knowledge": str(runbooks), "database": "sqlite:////absent"}
    )


async def test_the_index_lies_in_the_private_data_folder(tmp_path: Path) -> None:
    assert await found(settings_for(tmp_path, tmp_path / "data")) == ["a.md#Broker (line 1)"]
    (kept,) = (tmp_path / "data" / "knowledge").glob("*.sqlite")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


async def test_a_data_folder_that_cannot_be_written_costs_no_knowledge(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    settings = settings_for(tmp_path, tmp_path / "file" / "data")
    assert await found(settings) == ["a.md#Broker (line 1)"]
