"""Canonical records, snapshots and drafts as the release tests need them."""

import json

from hypothesis import HealthCheck, settings

from release.draft import DiagnosisDraft
from release.snapshot import project_snapshot

# how fast the machine is never decides a test
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

RUN = "run-1"
LINE = "2030-01-02T03:04:05Z ERROR tenant switch failed: 令牌过期"


def record(key, **changes):
    """A READY record of this run with one log line; `changes` overrides any field."""
    return {
        "key": key,
        "run_id": RUN,
        "tool": "query_logs",
        "tool_call_id": f"call-{key}",
        "scope": {"service": "tenant"},
        "factual": True,
        "status": "READY",
        "evidence": [{"id": "e1", "source": "tenant.log:7", "text": LINE}],
        "evidence_status": "EVIDENCE_FOUND",
        "relevance_level": None,
        "truncated": False,
        "total": 1,
        "bytes": 64,
        "error_code": None,
        "retryable": False,
        "failures": 0,
        "owner": "owner-1",
        "lease_expires_at": 0.0,
        "started_at": 0.0,
        "finished_at": 1.0,
        **changes,
    }


def empty(key, **changes):
    return record(key, evidence=[], evidence_status="NO_EVIDENCE", total=0, **changes)


def knowledge(key, **changes):
    return record(
        key,
        tool="lookup_knowledge",
        factual=False,
        relevance_level="REFERENCE",
        evidence=[
            {"id": "e1", "source": "guide.md#Tokens", "text": "Tokens expire after an hour."}
        ],
        **changes,
    )


def snapshot(*records, stop_reason=None):
    found = {one["key"]: one for one in records}
    return project_snapshot(list(found), found, run_id=RUN, stop_reason=stop_reason)


def citation(key="a", evidence_id="e1", quote="tenant switch failed"):
    return {"tool_call_id": f"call-{key}", "evidence_id": evidence_id, "quote": quote}


def draft_data(conclusion="令牌过期", citations=None, **changes):
    """A whole draft as JSON-able data, by default with one true citation of `record("a")`."""
    return {
        "conclusion": conclusion,
        "analysis": [
            {
                "statement": "切换企业时令牌已过期",
                "citations": [citation()] if citations is None else citations,
            }
        ],
        "limitations": {"missing_info": [], "notes": []},
        "next_steps": [],
        **changes,
    }


def draft(*args, **changes):
    return DiagnosisDraft.model_validate(draft_data(*args, **changes))


def draft_text(*args, **changes):
    return json.dumps(draft_data(*args, **changes), ensure_ascii=False)
