"""A trace event as a sentence: what happened, and why the run went on or stopped (C7.4)."""

from collections.abc import Iterator

from graph.audit.events import TraceEvent
from graph.command.wording import SENTENCES
from graph.contract.vocabulary import CollectionState
from prompts import Language


def sentence(event: TraceEvent, language: Language) -> str:
    """One line; an event that this version does not know is named by its type."""
    words = SENTENCES[language]
    template = words.get(".".join((event["type"], *_kind(event))))
    if template is None:
        return event["type"]
    return template.format_map({**event, **_derived(event, language)})


def _kind(event: TraceEvent) -> Iterator[str]:
    """What tells the kinds of one event type apart."""
    match event["type"]:
        case "ROUTING_DECISION":
            yield event["intent"] if event["readable"] else "UNREADABLE"
        case "MODEL_TOKEN_USAGE" if not event["available"]:
            yield "UNAVAILABLE"
        case "AGENT_MODEL_STEP":
            yield event["action"]
        case "TOOL_REQUEST_REJECTED":
            yield event["error_code"] or ""
        case "TOOL_INVOCATION":
            yield event["evidence_status"] or "ERROR"
        case "INFORMATION_GAIN":
            yield event["value"]
            if event["value"] == "NO_GAIN":
                yield event["by"]
        case "EVIDENCE_GUARD_INITIAL" | "EVIDENCE_GUARD_FINAL":
            yield "PASSED" if event["passed"] else "REFUSED"
        case "EVIDENCE_REPAIR" if not event["readable"]:
            yield "UNREADABLE"
        case "SEMANTIC_GUARD" if not event["readable"]:
            yield "UNREADABLE"
        case "SEMANTIC_GUARD":
            yield "SUPPORTED" if event["supported"] else "UNSUPPORTED"


def _derived(event: TraceEvent, language: Language) -> dict[str, str]:
    """Parts of a sentence that are not a field as it stands."""
    words = SENTENCES[language]
    match event["type"]:
        case "TOOL_REQUEST_REJECTED":
            return {"violation": _in_brackets(event["violation_type"])}
        case "TOOL_INVOCATION":
            notes = [name for name in ("truncated", "reused") if event[name]]
            return {"notes": "".join(words[f"note.{name}"] for name in notes)}
        case "INFORMATION_GAIN":
            saturated = event["collection_state"] == CollectionState.SATURATED
            return {"saturated": words["note.saturated"] if saturated else ""}
        case "EVIDENCE_GUARD_INITIAL" | "EVIDENCE_GUARD_FINAL":
            return {"codes": ", ".join(event["codes"])}
        case "RELEASE_DECISION":
            return {"codes": _in_brackets(event["fallback_type"], event["error_code"])}
        case "RUN_FINISHED":
            audit = "note.reconciled" if event["tokens_reconciled"] else "note.unreconciled"
            return {"stop": _in_brackets(event["stop_reason"]), "audit": words[audit]}
        case _:
            return {}


def _in_brackets(*codes: str | None) -> str:
    said = ", ".join(code for code in codes if code)
    return f" ({said})" if said else ""
