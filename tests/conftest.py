"""Keeps every test off real providers and off the network, and lets CI fail on a skip."""

import os

import pytest

_PROVIDERS = ("OPENAI_", "LANGSMITH_", "LANGCHAIN_")
_SETTINGS = ("HARNESS__", "MODELS__", "SOURCES__", "STORES__", "PROMPTS__")

for _name in [name for name in os.environ if name.startswith((*_PROVIDERS, *_SETTINGS))]:
    del os.environ[_name]
os.environ["LANGSMITH_TRACING"] = "false"


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """On CI every server is there, so a skipped test is a test that does not run any more."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") == "true" and reporter and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
