"""How a node says that the run goes to release, and whether steps are left to go on (C1.4)."""

from graph.state import Ending, Update

# A node that sees `remaining_steps` r can be followed by r - 1 more nodes; the release is the last.
STEPS_FOR_NEXT = 3
"""Any node but the last: one more, then the release."""
STEPS_FOR_MODEL = 4
"""A model round: its gate, STOP_REQUIRED, the release."""
STEPS_FOR_STOP = STEPS_FOR_MODEL + 1
"""STOP_REQUIRED: the model round that it grants."""
STEPS_FOR_TOOL = STEPS_FOR_MODEL + 2
"""A tool call at the gate: the tool, and a model round that can use its result."""


def ended(ending: Ending, failure_code: str | None = None) -> Update:
    """The run goes to release."""
    return {"turn": {"verdict": "RELEASE", "ending": ending, "failure_code": failure_code}}


def out_of_budget() -> Update:
    """The run goes to release because a budget is spent (C8)."""
    return {**ended("BUDGET"), "progress": [{"kind": "BUDGET_REACHED"}]}
