"""Where a person watches, replies are streamed and still accounted for: `diagnose`, the server."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client

from tests.wire.provider import Conversation, Provider
from tests.wiring.command_process import Command
from tests.wiring.dev_server import PROGRAM, running

KEY = "secret-key-of-the-provider"
QUESTION = "Why did the checkout fail?"
REPLIES = [
    {"draft": "diagnosis", "usage": [40, 5], "usage_at": "every"},
    {"draft": "missing", "usage": [100, 30], "usage_at": "every"},
]


@pytest.fixture
def conversation() -> Conversation:
    """One name for all components, as `OPENAI_MODEL` gives it."""
    return Conversation({"small": list(REPLIES)})


@pytest.fixture
def provided(provider: Provider, conversation: Conversation) -> dict[str, str]:
    """The environment that names the provider."""
    url = provider.converse(conversation)
    return {"OPENAI_BASE_URL": url, "OPENAI_MODEL": "small", "OPENAI_API_KEY": KEY}


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Command]:
    started = Command(tmp_path)
    yield started
    started.end()


def assert_streamed(conversation: Conversation) -> None:
    """Every request asked for a stream, and for its usage."""
    assert conversation.violations == []
    assert len(conversation.requests) == len(REPLIES)
    for request in conversation.requests:
        assert request["stream"] is True
        assert request["stream_options"] == {"include_usage": True}


def test_the_command_shows_no_warning_that_repeats_a_reply(
    command: Command, provided: dict[str, str], conversation: Conversation
) -> None:
    # C6.4: the client warns of numbers that are none, with the whole report
    odd = {"prompt_tokens": 4321.5, "completion_tokens": 5, "total_tokens": 10}
    conversation.replies["small"] = [{"draft": "diagnosis", "usage": odd}]
    code, out, err = command.run(QUESTION, **provided)
    assert code == 1, err
    assert "Warning" not in err
    assert "4321" not in out + err


def test_the_command_streams_and_counts(
    command: Command, provided: dict[str, str], conversation: Conversation
) -> None:
    # C7.3
    code, out, err = command.run("--json", "--session", "s", QUESTION, **provided)
    assert code == 0, err
    assert json.loads(out)["fallback"]["type"] == "MISSING_REQUIRED_CONTEXT"
    assert_streamed(conversation)
    assert KEY not in out + err
    assert "175" in err


def test_a_faulty_provider_is_told_of_without_its_words(
    command: Command, provided: dict[str, str], conversation: Conversation
) -> None:
    # C6.4, C7
    conversation.replies["small"] = [{"status": 503}, {"status": 401}]
    code, out, err = command.run("--session", "s", QUESTION, **provided)
    assert code == 1
    assert "MODEL_ACCESS_DENIED" in out
    assert "MODEL_UNAVAILABLE" in err
    assert "secret" not in out + err
    assert "Traceback" not in err


@pytest.mark.skipif(PROGRAM is None, reason="the langgraph command is not installed")
async def test_the_server_streams_and_counts(
    provided: dict[str, str], conversation: Conversation, tmp_path: Path
) -> None:
    # C7.2, C7.3: whatever its client reads besides, usage that grows is counted once
    given: Any = {"messages": [{"role": "user", "content": QUESTION}]}
    with running(tmp_path, **provided) as server:
        async with get_client(url=server.url) as client:
            (assistant,) = await client.assistants.search()
            thread = (await client.threads.create())["thread_id"]
            modes: Any = ["custom", "messages-tuple", "values"]
            stream = client.runs.stream(
                thread, assistant["assistant_id"], input=given, stream_mode=modes
            )
            seen = [(part.event, part.data) async for part in stream]
        said = server.said()
    values = [data for event, data in seen if event == "values"]
    finished = values[-1]["trace"][-1]
    assert (finished["total_tokens"], finished["tokens_reconciled"]) == (175, True)
    assert_streamed(conversation)
    assert any(event == "messages" for event, _ in seen)
    assert KEY not in repr(seen) + said
