"""One release from end to end: the case as a run leaves it, scripted replies, the events noted."""

from release.pipeline import ReleaseCase, run_release
from tests.release_rules.records import record, snapshot

HELD = snapshot(record("a"))


def case(final_text=None, held=HELD, **changes):
    fields = {
        "question": "为什么切换企业失败？",
        "language": "zh",
        "run_id": "run-1",
        "session_id": "session-1",
        "intent_out_of_scope": False,
        "cancelled": False,
        "failure_code": None,
        "final_text": final_text,
        "snapshot": held,
        "stop_reason": held.stop_reason,
    }
    return ReleaseCase(**{**fields, **changes})


async def run(given, *replies):
    """The release, the events, and who was asked what; every reply is used."""
    waiting, events, asked = list(replies), [], []

    async def ask(component, messages):
        asked.append((component, messages))
        return waiting.pop(0)

    release = await run_release(given, ask, lambda kind, fields: events.append((kind, fields)))
    assert waiting == []
    return release, events, asked


def decided(outcome, fallback_type=None, error_code=None, stop_reason=None, facts=1):
    return (
        "RELEASE_DECISION",
        {
            "outcome": outcome,
            "fallback_type": fallback_type,
            "error_code": error_code,
            "stop_reason": stop_reason,
            "facts": facts,
        },
    )
