"""The progress snapshot of a run, read from the canonical records that its progress names (C6)."""

from graph.parts import Parts
from graph.state import State, run_key
from release.snapshot import ProgressSnapshot, project_snapshot
from tools.invocations import InvocationRecord
from tools.scope import invocation_key


async def read_snapshot(parts: Parts, state: State) -> ProgressSnapshot:
    """What is verified now; a record that cannot be read is a limitation, never a fact."""
    progress, run = state["progress"], state["run"]
    found = await parts.boundary.find(progress["invocation_keys"])
    cited_as = {
        invocation_key(run_key(run), scope): call_id
        for scope, call_id in progress["completed"].items()
    }
    return project_snapshot(
        progress["invocation_keys"],
        {key: _cited(record, cited_as.get(key)) for key, record in found.items()},
        run_id=run["run_id"],
        stop_reason=progress["stop_reason"],
    )


def _cited(record: InvocationRecord | None, call_id: str | None) -> InvocationRecord | None:
    """The record under the id that the dialogue knows: a node that ran twice may rename it."""
    if record is None or call_id is None:
        return record
    return {**record, "tool_call_id": call_id}
