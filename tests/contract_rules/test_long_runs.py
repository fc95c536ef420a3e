"""Random long runs beyond the exhaustive depth: thresholds to 6, messages of many calls."""

import copy
import json

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from tests.contract_rules.invariants import hold
from tests.contract_rules.oracle import EMPTY, FAILED, GAINED, NO_GAIN, READY, Ask
from tests.contract_rules.world import World

thresholds = st.integers(1, 6)
forms = st.sampled_from(
    [{}] * 60
    + [{"known_tool": False}, {"readable": False}, {"has_input": False}]
    + [{"known_tool": False, "has_input": False}, {"readable": False, "has_input": False}]
)
calls = st.fixed_dictionaries(
    {
        "form": forms,
        "schema_accepts": st.sampled_from([True] * 60 + [False]),
        "scope": (st.integers(0, 3) | st.integers(0, 39)).map("scope {}".format),
        "says": st.sampled_from(
            ["what is due"] * 40 + ["nothing", "wrong id", "earlier id", "what was applied"]
        ),
        "gain": st.sampled_from([GAINED] * 4 + [NO_GAIN]),
        "outcome": st.sampled_from([READY] * 3 + [EMPTY] + [FAILED] * 3),
        "room": st.sampled_from([True] * 200 + [False]),
    }
)


class Runs(RuleBasedStateMachine):
    """One run after another, each on the gate and on the oracle at once."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World.begin(2, 2)._replace(at="OVER")
        self.calls = 0

    @precondition(lambda self: self.world.at == "OVER")
    @rule(patience=thresholds, tolerance=thresholds)
    def begin(self, patience: int, tolerance: int) -> None:
        # C1.3: nothing of the run before is left
        self.world = World.begin(patience, tolerance).agrees()

    @precondition(lambda self: self.world.at != "OVER")
    @rule(
        message=st.lists(calls, min_size=1, max_size=3) | st.lists(calls, min_size=1, max_size=12)
    )
    def message(self, message: list[dict[str, object]]) -> None:
        self.world = self.world.message()
        for call in message:
            if self.world.at == "MESSAGE":
                self._call(call)

    @precondition(lambda self: self.world.at != "OVER")
    @rule()
    def resume_from_checkpoint(self) -> None:
        # C1.2: progress is JSON, and comes back as it went
        stored = json.loads(json.dumps(self.world.progress))
        assert stored == self.world.progress
        self.world = self.world._replace(progress=stored)

    @precondition(lambda self: self.world.deliveries == 1 and self.world.at != "OVER")
    @rule()
    def draft_after_stop(self) -> None:
        self.world = self.world.draft()

    def _call(self, call: dict[str, object]) -> None:
        self.calls += 1
        ask = Ask(
            f"call {self.calls}",
            str(call["scope"]) if call["schema_accepts"] else None,
            self._evaluation(str(call["says"]), str(call["gain"])),
            room=bool(call["room"]),
        )._replace(**call["form"])  # type: ignore[arg-type]
        before, kept = self.world, copy.deepcopy(self.world.progress)
        self.world = before.call(ask, str(call["outcome"]))
        assert before.progress == kept, "the progress given to the gate was changed"
        hold(before, self.world, str(call["outcome"]))

    def _evaluation(self, says: str, gain: str) -> tuple[str, str] | None:
        oracle = self.world.oracle
        match says:
            case "what is due":
                return (oracle.pending, gain) if oracle.pending else None
            case "wrong id":
                return f"call {self.calls}", gain
            case "earlier id" if oracle.completed:
                return next(iter(oracle.completed.values()))[0], gain
            case "what was applied":
                applied = self.world.turn.applied
                return (applied.tool_call_id, applied.gain) if applied else None
            case _:
                return None


Runs.TestCase.settings = settings(
    max_examples=80, stateful_step_count=100, deadline=None, derandomize=True
)
TestLongRuns = Runs.TestCase
