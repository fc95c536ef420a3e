"""Importing any package of ours opens nothing but modules, and loads nothing heavy."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEAVY = [
    "duckdb",
    "jieba",
    "langchain_openai",
    "markdown_it",
    "openai",
    "psycopg",
    "redis",
    "rich",
    "sqlalchemy",
    "sqlglot",
    "typer",
    "yaml",
]
PACKAGES = [
    "graph",
    "tools",
    "prompts",
    "release",
    "graph.command",
    "graph.evaluation",
    "graph.incident",
    "graph.offline",
    "graph.stores.records",
    "graph.stores.sessions",
    "tools.knowledge",
    "tools.logs",
    "tools.sql",
]
# what ours rests on is loaded first: what those packages do is theirs
PROBE = """
import json, sys
import langchain_core.language_models, langgraph.channels, langgraph.graph, pydantic_settings
before = set(sys.modules)
seen = []
def watch(event, arguments):
    reads_module = event == "open" and str(arguments[0]).endswith((".py", ".pyc", ".so", ".zip"))
    watched = ("open", "socket.", "sqlite3.", "subprocess.", "os.mkdir", "os.rename", "os.remove")
    if event.startswith(watched) and not reads_module:
        seen.append([event, str(arguments[0])])
sys.addaudithook(watch)
for package in sys.argv[2].split(","):
    __import__(package)
loaded = {name.partition(".")[0] for name in set(sys.modules) - before}
print(json.dumps([seen, sorted(loaded & set(sys.argv[1].split(",")))]))
"""


def test_importing_our_packages_is_light_and_does_no_io() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, ",".join(HEAVY), ",".join(PACKAGES)],
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=120,
    )
    seen, heavy = json.loads(done.stdout)
    assert heavy == []
    assert seen == []
