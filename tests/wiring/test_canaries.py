"""Marked texts planted in all that goes into a run are found only where a table allows (C6.4, C7).

The tables say where each text is found, exactly: a text that never got there proves nothing.
"""

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from tests.fakes.bench import Bench
from tests.fakes.replies import USAGE, call, draft, said
from tests.fakes.sources import KeywordSource, found
from tests.wiring.sinks import sinks, where
from tests.wiring.whole_runs import hold
from tools import ToolFailure
from tools.invocations.sqlite import SqliteInvocationStore

NOWHERE: set[str] = set()
RELEASED = {"release", "message", "messages", "event RESULT"}
FALLEN_BACK = {"release", "message", "messages", "event SAFE_FALLBACK"}
FAILED = {"release", "message", "messages", "event failure"}


@pytest.fixture
def run(tmp_path: Path, caplog: Any, capsys: Any) -> Any:
    """Plays a bench and returns its state and all sinks."""
    caplog.set_level(logging.DEBUG)

    def play(bench: Bench, question: str = "CANARYQUESTION why?") -> dict[str, str]:
        (tmp_path / "records").mkdir()
        bench.store = SqliteInvocationStore(tmp_path / "records" / "records.sqlite")
        bench.__post_init__()

        async def whole() -> dict[str, Any]:
            metadata = {"note": "CANARYMETADATA"}
            try:
                return await bench.run(question, metadata=metadata, tags=["CANARYTAG"])
            finally:
                await bench.store.aclose()

        state = asyncio.run(whole())
        hold(bench, state)
        return sinks(
            bench,
            state,
            records=tmp_path / "records",
            log=caplog.records,
            printed="".join(capsys.readouterr()),
        )

    return play


def noisy(*calls: dict[str, Any], text: str = "CANARYMODELTEXT") -> AIMessage:
    """A reply with everything around its calls that a provider may add."""
    return AIMessage(
        [
            {"type": "reasoning", "reasoning": "CANARYREASONING"},
            {"type": "thinking", "thinking": "CANARYTHINKING", "signature": "CANARYSIGNATURE"},
            {"type": "text", "text": text},
        ],
        tool_calls=list(calls),
        invalid_tool_calls=[
            {"id": "b9", "name": "query_logs", "args": "{CANARYBADARGS", "error": "CANARYPARSER"}
        ],
        additional_kwargs={"refusal": "CANARYREFUSAL"},
        response_metadata={"model": "CANARYMODELNAME"},
        id="CANARYMESSAGEID",
        usage_metadata=USAGE,
    )


ANSWERS = {
    "CANARYARGUMENT": found(
        "CANARYUNQUOTED before CANARYQUOTE after", "CANARYUNCITED line", source="CANARYSOURCE.log"
    ),
    "CANARYFAILINGARGUMENT": RuntimeError("CANARYTOOLERROR"),
    "CANARYCODEARGUMENT": ToolFailure("dsn://CANARYCODE", retryable=False),
    "CANARYEMPTYARGUMENT": found(),
}
PROOF = json.dumps(
    {
        "conclusion": "CANARYCONCLUSION",
        "analysis": [
            {
                "statement": "CANARYSTATEMENT",
                "citations": [
                    {"tool_call_id": "ID of CANARYID", "evidence_id": "e1", "quote": "CANARYQUOTE"}
                ],
            }
        ],
        "limitations": {"missing_info": ["CANARYGAP"], "notes": ["CANARYNOTE"]},
        "next_steps": ["CANARYSTEP"],
        "CANARYEXTRAKEY": "CANARYEXTRA",
    }
)
AFTER_AN_ARGUMENT = {"dialogue", "store", *RELEASED}
SUCCESS_TABLE: dict[str, set[str]] = {
    "CANARYQUESTION": {"messages"},
    "CANARYARGUMENT": AFTER_AN_ARGUMENT,
    "CANARYFAILINGARGUMENT": {"dialogue", "store"},
    "CANARYCODEARGUMENT": {"dialogue", "store"},
    "CANARYREFUSEDARGUMENT": {"dialogue"},
    "CANARYFIELD": {"dialogue"},
    "CANARYTOOLNAME": {"dialogue"},
    "CANARYUNQUOTED": {"dialogue", "store"},
    "CANARYUNCITED": {"dialogue", "store"},
    "CANARYQUOTE": {"dialogue", "store", *RELEASED},
    "CANARYSOURCE": {"dialogue", "store", *RELEASED},
    "ID of CANARYID": {"dialogue", "store", "progress", "turn", *RELEASED},
    "CANARYCONCLUSION": {"dialogue", *RELEASED},
    "CANARYSTATEMENT": {"dialogue", *RELEASED},
    "CANARYSTEP": {"dialogue", *RELEASED},
    "CANARYGAP": {"dialogue"},
    "CANARYNOTE": {"dialogue"},
    "CANARYEXTRA": {"dialogue"},
    "CANARYMODELTEXT": {"dialogue"},
    "CANARYMETADATA": {"checkpoint metadata"},
    "CANARYTAG": NOWHERE,
    "CANARYREASONING": NOWHERE,
    "CANARYTHINKING": NOWHERE,
    "CANARYSIGNATURE": NOWHERE,
    "CANARYBADARGS": NOWHERE,
    "CANARYPARSER": NOWHERE,
    "CANARYREFUSAL": NOWHERE,
    "CANARYMODELNAME": NOWHERE,
    "CANARYMESSAGEID": NOWHERE,
    "CANARYTOOLERROR": NOWHERE,
    "dsn://CANARYCODE": NOWHERE,
    "CANARYROUTER": NOWHERE,
    "CANARYREASON": NOWHERE,
    "CANARYDESCRIPTION": NOWHERE,
    "You help engineers": NOWHERE,
}


def success() -> Bench:
    tool = KeywordSource(answers=ANSWERS)
    tool.description = "CANARYDESCRIPTION"
    odd = {"id": "u1", "name": "CANARYTOOLNAME", "args": {"input": {}}}
    unknown_field = call("c3", "CANARYREFUSEDARGUMENT", CANARYFIELD=1)
    return Bench(
        agent=[
            noisy(odd),
            noisy(unknown_field, text=""),
            noisy(call("c4", "CANARYFAILINGARGUMENT")),
            noisy(call("c5", "CANARYCODEARGUMENT")),
            noisy(call("ID of CANARYID", "CANARYARGUMENT")),
            noisy(call("c7", "slow", "ID of CANARYID")),
            said(PROOF),
        ],
        router=[said('{"intent": "DIAGNOSIS", "why": "CANARYROUTER"}')],
        guard=[said('{"supported": true, "reasons": ["CANARYREASON"]}')],
        tools=[tool],
        harness={"chat": {"stop_after_consecutive_protocol_violations": 9}},
    )


def test_a_success_shows_what_was_proved_and_nothing_else(run):
    # C6.4, C7
    found_in = run(success())
    assert {text: where(text, found_in) for text in SUCCESS_TABLE} == SUCCESS_TABLE


FALLBACK_TABLE: dict[str, set[str]] = {
    "CANARYQUESTION": {"messages"},
    "CANARYARGUMENT": {"dialogue", "store", *FALLEN_BACK},
    "CANARYEMPTYARGUMENT": {"dialogue", "store", "turn", *FALLEN_BACK},
    "CANARYSOURCE": {"dialogue", "store", *FALLEN_BACK},
    "CANARYUNQUOTED": {"dialogue", "store"},
    "CANARYQUOTE": {"dialogue", "store"},
    "CANARYGAP": {"dialogue", *FALLEN_BACK},
    "CANARYCONCLUSION": {"dialogue"},
    "CANARYSTATEMENT": {"dialogue"},
    "CANARYSTEP": {"dialogue"},
    "CANARYNOTE": {"dialogue"},
    "CANARYREPAIR": NOWHERE,
    "CANARYMETADATA": {"checkpoint metadata"},
}


def test_a_fallback_takes_the_gaps_of_a_draft_and_nothing_else(run):
    # C6.3, C6.4
    bench = Bench(
        agent=[
            noisy(call("c1", "CANARYARGUMENT")),
            noisy(call("c2", "CANARYEMPTYARGUMENT", "c1", "NO_GAIN")),
            said(PROOF),
        ],
        repair=[draft("CANARYREPAIR", ("c1", "e1", "CANARYREPAIR quote"))],
        tools=[KeywordSource(answers=ANSWERS)],
        harness={"chat": {"stop_after_consecutive_protocol_violations": 9}},
    )
    found_in = run(bench)
    assert {text: where(text, found_in) for text in FALLBACK_TABLE} == FALLBACK_TABLE


class ProviderError(Exception):
    """A fault that carries the request, as provider libraries raise them."""

    def __init__(self) -> None:
        super().__init__("CANARYPROVIDER key sk-CANARYKEY, prompt: CANARYQUESTION")
        self.body = {"error": "CANARYBODY"}
        self.status_code = 400


FAILED_TABLE: dict[str, set[str]] = {
    "CANARYQUESTION": {"messages"},
    "CANARYARGUMENT": {"dialogue", "store", *FAILED},
    "CANARYQUOTE": {"dialogue", "store"},
    "CANARYPROVIDER": NOWHERE,
    "CANARYKEY": NOWHERE,
    "CANARYBODY": NOWHERE,
    "MODEL_REQUEST_REFUSED": {*FAILED, "turn", "trace", "event progress"},
}


def test_a_failure_is_a_code(run):
    # C6, C7; langflow 8011, langsmith-sdk 3372: the canary is nowhere
    bench = Bench(
        agent=[noisy(call("c1", "CANARYARGUMENT")), ProviderError()],
        tools=[KeywordSource(answers=ANSWERS)],
    )
    found_in = run(bench)
    assert {text: where(text, found_in) for text in FAILED_TABLE} == FAILED_TABLE


@pytest.mark.parametrize("component", ["router", "repair", "guard"])
def test_no_components_fault_is_told(run, component):
    # C6, C7
    false = draft("a cause", ("c1", "e1", "CANARYINVENTED"))
    true = draft("a cause", ("c1", "e1", "CANARYQUOTE after"))
    bench = Bench(
        agent=[noisy(call("c1", "CANARYARGUMENT")), false if component == "repair" else true],
        tools=[KeywordSource(answers=ANSWERS)],
        **{component: [ProviderError()]},
    )
    found_in = run(bench)
    names = {"repair": "evidence_repair", "guard": "semantic_guard"}
    assert bench.models[names.get(component, component)].requests
    for text in ("CANARYPROVIDER", "CANARYKEY", "CANARYBODY"):
        assert where(text, found_in) == NOWHERE
