"""How a node says that the run goes to release, and whether steps are left to go on (C1.4)."""

from graph.state import Ending, State, Update

STEPS_FOR_MODEL = 4
"""A model round may need its gate, its STOP_REQUIRED and the release after it."""
STEPS_FOR_TOOL = 5
"""A tool may need STOP_REQUIRED, one more model round, and the release."""


def ended(state: State, ending: Ending, failure_code: str | None = None) -> Update:
    """The run goes to release."""
    return {
        "turn": {
            **state["turn"],
            "verdict": "RELEASE",
            "ending": ending,
            "failure_code": failure_code,
        }
    }


def out_of_budget(state: State) -> Update:
    """The run goes to release because a budget is spent (C8)."""
    return {**ended(state, "BUDGET"), "progress": [{"kind": "BUDGET_REACHED"}]}
