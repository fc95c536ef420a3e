"""Tools that the settings name by their place in Python."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from graph import Settings, SettingsError
from graph.cli import app
from graph.sources import make_tools
from tests.sources.foreign_tools import ask

MODULE = '''
from langchain_core.tools import tool
from pydantic import BaseModel
from tools import Evidence, EvidenceTool, ToolResult

class Deployments(EvidenceTool):
    name = "list_deployments"
    description = "Deployments of one service."

    class Input(BaseModel):
        service: str

    async def search(self, request):
        return ToolResult([Evidence("ci", f"{request.service} 3.2.0")])

@tool
def on_call(team: str) -> str:
    """Who is on call."""
    return f"{team}: Lin"

deployments = Deployments()
several = [deployments, on_call]
writes = on_call.model_copy(update={"metadata": {"readOnlyHint": False}})
number = 3
'''


@pytest.fixture(autouse=True)
def _importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "our_tools.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "our_broken_tools.py").write_text("1 / 0  # canary", encoding="utf-8")


def made(*places: str) -> list[Any]:
    return make_tools(Settings(sources={"enabled": [], "tools": places}))


async def test_they_are_taken_as_they_are_or_wrapped() -> None:
    deployments, on_call = made("our_tools:deployments", "our_tools:on_call")
    assert (await ask(deployments, service="shop")).evidence[0].text == "shop 3.2.0"
    assert (await ask(on_call, team="shop")).evidence[0].text == "shop: Lin"
    assert (deployments.factual, on_call.factual) == (True, False)
    assert [tool.name for tool in made("our_tools:several")] == [deployments.name, on_call.name]


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("our_missing_tools:x", "sources.tools: there is no 'our_missing_tools:x' on the import"),
        ("our_tools:missing", "sources.tools: there is no 'our_tools:missing' on the import path"),
        ("our_broken_tools:x", "sources.tools: 'our_broken_tools:x' raises ZeroDivisionError"),
        ("our_tools:number", "sources.tools: 'our_tools:number' is no EvidenceTool and no "),
        ("our_tools:writes", "sources.tools: 'our_tools:writes': on_call may change data"),
        ("our_tools", "sources.tools.0: "),
        ("../our_tools:x", "sources.tools.0: "),
    ],
)
def test_what_cannot_be_taken_is_one_line(place: str, line: str) -> None:
    with pytest.raises(SettingsError) as refused:
        made(place)
    assert str(refused.value).startswith(line)
    assert "\n" not in str(refused.value)


def test_doctor_shows_them_without_asking() -> None:
    environment = {"SOURCES__TOOLS": '["our_tools:several"]', "SOURCES__ENABLED": "[]"}
    done = CliRunner().invoke(app, ["doctor"], env=environment)
    told = [line.split() for line in done.stdout.splitlines()]
    assert ["list_deployments", "taken", "our_tools:several"] in told
    assert ["on_call", "taken", "our_tools:several"] in told
    assert done.exit_code == 0
