"""MCP servers in the settings: what is taken, what is refused, and that no secret is told."""

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tools.adapters
from graph import Settings, SettingsError
from graph.sources import make_tools
from tests.sources.foreign_tools import ask
from tests.sources.mcp_servers import over_http, over_stdio, plugged, running_shop

EXAMPLES = Path(tools.adapters.__file__).with_name("examples.toml")
STDIO: dict[str, Any] = {"transport": "stdio", "command": "x", "tools": ["t"]}
HTTP: dict[str, Any] = {"transport": "http", "url": "https://x/mcp", "tools": ["t"]}


@pytest.fixture(scope="module")
def shop_url() -> Iterator[str]:
    with running_shop() as url:
        yield url


def refusal(section: dict[str, Any]) -> str:
    with pytest.raises(SettingsError) as refused:
        plugged(section)
    line = str(refused.value)
    assert "\n" not in line
    assert "canary" not in line
    return line


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ({**STDIO, "command": None}, "sources.mcp.shop: transport stdio needs command"),
        ({**HTTP, "url": None}, "sources.mcp.shop: transport http needs url"),
        ({**STDIO, "url": "https://x/mcp"}, "sources.mcp.shop: transport stdio has no url"),
        ({**HTTP, "args": ["x"]}, "sources.mcp.shop: transport http has no args"),
        ({**HTTP, "url": "ftp://x"}, "sources.mcp.shop.url: not a URL that begins with http://"),
        ({**HTTP, "url": "https://u:canary@x/mcp"}, "sources.mcp.shop.url: credentials belong"),
        ({**HTTP, "url": "https://x/mcp?key=canary"}, "sources.mcp.shop.url: credentials belong"),
        ({**HTTP, "headers": {"A": "canary"}}, "sources.mcp.shop.headers: no such setting"),
        ({**HTTP, "headers_env": {"A": "canary 1"}}, "sources.mcp.shop.headers_env.A: "),
        ({**STDIO, "tools": []}, "sources.mcp.shop.tools: "),
        ({**STDIO, "transport": "carrier pigeon"}, "sources.mcp.shop.transport: "),
        ({**STDIO, "read_only": ["other"]}, "sources.mcp.shop: read_only names 'other'"),
        ({**STDIO, "env_from": ["NO_SUCH"]}, "sources.mcp.shop.env_from: the environment has no "),
        (
            {**HTTP, "headers_env": {"A": "NO_SUCH"}},
            "sources.mcp.shop.headers_env: the environment has no NO_SUCH",
        ),
        (
            {**STDIO, "command": "/no/such/program"},
            "sources.mcp.shop: the server does not answer (TOOL_UNAVAILABLE); mend it, or set"
            " sources.mcp.shop.enabled = false",
        ),
        (
            {**HTTP, "url": "http://127.0.0.1:9/mcp"},  # a closed port on loopback
            "sources.mcp.shop: the server does not answer (TOOL_UNAVAILABLE)",
        ),
        (
            over_stdio("t", args=("-c", "import time; time.sleep(3600)"), start_seconds=0.5),
            "sources.mcp.shop: the server does not answer (TOOL_TIMEOUT)",
        ),
    ],
)
def test_what_cannot_be_used_is_one_line_that_names_its_key(
    section: dict[str, Any], line: str
) -> None:
    assert refusal(section).startswith(line)


@pytest.mark.parametrize("name", ["Shop", "shop.logs", "", "9", "s" * 25])
def test_a_server_is_named_so_that_a_model_and_the_environment_can(name: str) -> None:
    with pytest.raises(SettingsError, match=r"^sources\.mcp\."):
        Settings(sources={"mcp": {name: STDIO}})


def test_a_tool_that_is_not_offered_is_told_with_those_that_are(shop_url: str) -> None:
    line = refusal(over_http(shop_url, "querylogs"))
    assert line.startswith("sources.mcp.shop.tools: no 'querylogs'; it offers ")
    assert "query_logs" not in line  # the tenth name and all after it are left out
    assert line.endswith(", …")


@pytest.mark.parametrize("name", ["unannotated", "restart"])
def test_a_tool_that_may_write_is_taken_only_where_it_is_declared(shop_url: str, name: str) -> None:
    assert refusal(over_http(shop_url, name)) == (
        f"sources.mcp.shop.tools: '{name}': it may change data, and nobody declared that it only"
        " reads"
    )
    (declared,) = plugged(over_http(shop_url, name, read_only=(name,)))
    assert declared.name == f"shop_{name}"


async def test_only_what_is_named_is_handed_on(
    shop_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "Bearer canary-1")
    monkeypatch.setenv("OTHER_TOKEN", "canary-2")
    (program,) = plugged(over_stdio("environment", env_from=("SHOP_TOKEN",)))
    assert [p.text for p in (await ask(program, name="SHOP_TOKEN")).evidence] == ["Bearer canary-1"]
    assert [p.text for p in (await ask(program, name="OTHER_TOKEN")).evidence] == ["-"]
    headers = {"Authorization": "SHOP_TOKEN"}
    (served,) = plugged(over_http(shop_url, "header", headers_env=headers))
    assert (await ask(served, name="authorization")).evidence[0].text == "Bearer canary-1"
    for tool in (program, served):
        assert "canary" not in repr(vars(tool))


async def test_a_name_that_no_model_api_takes_is_made_one(shop_url: str) -> None:
    (tool,) = plugged(over_http(shop_url, "logs.search/" + "x" * 80))
    assert len(tool.name) == 64
    assert tool.name.startswith("shop_logs_search_xxx")
    assert (await ask(tool)).evidence[0].text == "found"


def test_a_server_can_be_turned_off_in_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "diagnosis.toml").write_text(
        "sources.enabled = ['knowledge']\n"
        "[sources.mcp.shop]\ntransport = 'http'\nurl = 'http://127.0.0.1:9/mcp'\ntools = ['t']\n"
    )
    with pytest.raises(SettingsError):
        make_tools(Settings(data_dir=tmp_path))
    monkeypatch.setenv("SOURCES__MCP__SHOP__ENABLED", "false")
    made = make_tools(Settings(data_dir=tmp_path))
    assert [tool.name for tool in made] == ["lookup_knowledge"]


def test_without_the_extra_one_line_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert refusal(STDIO) == "sources.mcp.shop: MCP servers need the extra 'mcp'"


def test_the_examples_are_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = EXAMPLES.read_text(encoding="utf-8")
    (tmp_path / "diagnosis.toml").write_text(text, encoding="utf-8")
    read = Settings().sources
    assert list(read.mcp) == list(tomllib.loads(text)["sources"]["mcp"])
    assert {section.transport for section in read.mcp.values()} == {"stdio", "http"}
    assert all(section.factual for section in read.mcp.values())
    assert read.mcp["loki"].tools[-1] == "query_loki_logs"
    assert "--read-only" in read.mcp["kubernetes"].args
