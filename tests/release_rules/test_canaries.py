"""Marked texts planted in all that a release is made from are found only where allowed (C6.4)."""

import json
import re
from pathlib import Path

import pytest

from release.message import render_message
from release.pipeline import run_release
from tests.release_rules.records import citation, record, snapshot
from tests.release_rules.runs import case

LINE = "CANARYEVIDENCE before the quoted part CANARYQUOTE after"
OTHER = "CANARYUNCITED line that no claim cites"


def held(**changes):
    fields = {
        "run_id": "run-1",
        "owner": "CANARYOWNER",
        "scope": {"service": "CANARYSCOPE"},
        "evidence": [
            {"id": "e1", "source": "CANARYSOURCE.log:1", "text": LINE},
            {"id": "e2", "source": "b.log:2", "text": OTHER},
        ],
        **changes,
    }
    failed = record(
        "CANARYFAILEDKEY",
        status="ERROR",
        error_code="mysql://CANARYDSN@db",
        scope={"sql": "CANARYFAILEDSCOPE"},
    )
    foreign = record("CANARYFOREIGNKEY", run_id="run-2", tool="CANARYFOREIGNTOOL")
    return snapshot(record("CANARYKEY", **fields), failed, foreign)


def draft(conclusion, quote="quoted part CANARYQUOTE"):
    cited = {**citation("CANARYKEY", quote=quote), "why": "CANARYEXTRA"}
    return json.dumps(
        {
            "conclusion": conclusion,
            "analysis": [{"statement": "CANARYSTATEMENT", "citations": [cited]}],
            "limitations": {"missing_info": ["CANARYMISSING"], "notes": ["CANARYNOTES"]},
            "next_steps": ["CANARYSTEP"],
            "thought": "CANARYTHOUGHT",
        }
    )


TRUE = draft("CANARYCONCLUSION")
FALSE = draft("CANARYCONCLUSION", quote="CANARYFALSEQUOTE")
FACTS = {"CANARYSCOPE"}
FALLBACK = FACTS | {"CANARYSOURCE"}
YES = '{"supported": true, "reasons": ["CANARYREASON"]}'
NO = '{"supported": false, "reasons": ["CANARYREASON"]}'

# what came -> (case fields, repair reply, guard reply, outcome, what a user may find)
CASES = {
    "supported": (
        {"final_text": f"<think>CANARYTHINK</think>{TRUE}"},
        None,
        YES,
        "SUCCESS",
        FACTS
        | {
            "CANARYCONCLUSION",
            "CANARYSTATEMENT",
            "CANARYQUOTE",
            "CANARYSOURCE",
            "CANARYSTEP",
            "CANARYKEY",  # inside the tool call id, as these records are named
        },
    ),
    "unsupported": ({"final_text": TRUE}, None, NO, "FALLBACK", FALLBACK | {"CANARYMISSING"}),
    "false": (
        {"final_text": FALSE},
        "CANARYREPAIR",
        None,
        "FALLBACK",
        FALLBACK | {"CANARYMISSING"},
    ),
    "null": (
        {"final_text": draft(None)},
        None,
        None,
        "FALLBACK",
        FALLBACK | {"CANARYMISSING"},
    ),
    "prose": ({"final_text": f"CANARYPROSE {TRUE}"}, None, None, "FALLBACK", FALLBACK),
    "off topic": ({"intent_out_of_scope": True}, None, None, "FALLBACK", FALLBACK),
    "failed": (
        {"failure_code": "ValueError: CANARYEXCEPTION", "final_text": TRUE},
        None,
        None,
        "FAILED",
        FACTS,
    ),
    "cancelled": ({"cancelled": True, "final_text": TRUE}, None, None, "CANCELLED", FACTS),
}


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("name", CASES)
async def test_what_may_be_found_where(name, language):
    # C6.4, C7
    fields, repair, guard, outcome, allowed = CASES[name]
    events = []
    given = case(held=held(), question="CANARYQUESTION", language=language, **fields)

    async def ask(component, messages):
        return repair if component == "EVIDENCE_REPAIR" else guard

    release = await run_release(
        given,
        ask,
        lambda kind, own: events.append((kind, own)),
        prompt=lambda component, language: "CANARYPROMPT",
    )
    assert release["outcome"] == outcome
    for told in (json.dumps(release, ensure_ascii=False), render_message(release, language)):
        found = {word for word in planted() if word in told}
        assert found == allowed
    assert "CANARY" not in json.dumps(events)


def planted():
    """Every marked word of this module."""
    return set(re.findall(r"CANARY[A-Z]+", Path(__file__).read_text(encoding="utf-8")))
