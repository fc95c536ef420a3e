"""Says in the terminal summary how much of the contract's state space was visited."""

from collections.abc import Callable

import pytest

pytest.register_assert_rewrite(
    "tests.contract_rules.world", "tests.contract_rules.invariants", "tests.contract_rules.oracle"
)
_LINES = pytest.StashKey[list[str]]()


@pytest.fixture
def report(pytestconfig: pytest.Config) -> Callable[[str], None]:
    """Adds a line to the terminal summary."""
    return pytestconfig.stash.setdefault(_LINES, []).append


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    lines = config.stash.get(_LINES, [])
    if lines:
        terminalreporter.section("stop contract, explored")
        for line in lines:
            terminalreporter.write_line(line)
