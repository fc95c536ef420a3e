"""Runs that are cancelled on the real LangGraph server, by a client or because it went away."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from tests.wiring.dev_server import PROGRAM, ROOT, running
from tests.wiring.stepwise import QUESTION
from tests.wiring.stepwise_sessions import assert_whole

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="the langgraph command is not installed")

GIVEN: dict[str, Any] = {"messages": [{"role": "user", "content": QUESTION}]}
PATIENCE_SECONDS = 60
HELD_AT = ["router", "agent 1", "tool pool", "agent 2", "tool waits"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("server")
    served = {"diagnosis": "tests.wiring.served_held:make_graph"}
    config = {"dependencies": [str(ROOT)], "graphs": served}
    (made / "langgraph.json").write_text(json.dumps(config), encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    with running(folder, folder / "langgraph.json") as server:
        yield server.url


@pytest_asyncio.fixture
async def client(url: str, folder: Path) -> AsyncIterator[LangGraphClient]:
    (folder / "passed").write_text("", encoding="utf-8")
    (folder / "hold").touch()
    async with get_client(url=url) as opened:
        yield opened


def passed(folder: Path) -> list[str]:
    return (folder / "passed").read_text(encoding="utf-8").splitlines()


async def held(folder: Path) -> None:
    for _ in range(PATIENCE_SECONDS * 50):
        if passed(folder)[-1:] == HELD_AT[-1:]:
            return
        await asyncio.sleep(0.02)
    raise AssertionError(passed(folder))


async def ended(client: LangGraphClient, thread: str) -> None:
    for _ in range(PATIENCE_SECONDS * 50):
        runs = await client.runs.list(thread)
        if all(run["status"] not in ("pending", "running") for run in runs):
            return
        await asyncio.sleep(0.02)
    raise AssertionError(await client.runs.list(thread))


SETTLING_LOOKS = 150


async def state(client: LangGraphClient, thread: str) -> dict[str, Any]:
    found = await client.threads.get_state(thread)
    for _ in range(SETTLING_LOOKS):
        if found["next"] == []:
            break
        # a client that left cannot wait for the release that its leaving started
        await asyncio.sleep(0.1)
        found = await client.threads.get_state(thread)
    assert found["next"] == []
    return dict(found["values"])  # type: ignore[call-overload]


async def cancelled_by_request(client: LangGraphClient, folder: Path, thread: str) -> None:
    run = await client.runs.create(thread, "diagnosis", input=GIVEN)
    await held(folder)
    await client.runs.cancel(thread, run["run_id"], wait=True)


async def cancelled_by_leaving(client: LangGraphClient, folder: Path, thread: str) -> None:
    stream = client.runs.stream(
        thread, "diagnosis", input=GIVEN, stream_mode="custom", on_disconnect="cancel"
    )
    reader = asyncio.create_task(_read(stream))
    await held(folder)
    reader.cancel()
    await asyncio.wait({reader})
    await ended(client, thread)


async def _read(stream: Any) -> None:
    async for _ in stream:
        pass


@pytest.mark.parametrize("cancel", [cancelled_by_request, cancelled_by_leaving])
async def test_a_cancelled_run_ends_in_one_release_and_the_thread_goes_on(
    client: LangGraphClient, folder: Path, cancel: Any
) -> None:
    # C6, C7, C1.3: facts kept, nothing asked afterwards, nothing run again on resume
    thread = (await client.threads.create())["thread_id"]
    await cancel(client, folder, thread)
    first = await state(client, thread)
    assert first["release"]["outcome"] == "CANCELLED"
    assert len(first["release"]["observed_facts"]) == 1
    assert_whole(first["trace"])
    assert [message["type"] for message in first["messages"]] == ["human", "ai"]
    await client.runs.wait(thread, "diagnosis", input=None)
    assert (await state(client, thread))["release"] == first["release"]
    assert passed(folder) == HELD_AT
    (folder / "hold").unlink()
    await client.runs.wait(thread, "diagnosis", input=GIVEN)
    second = await state(client, thread)
    assert second["release"]["outcome"] == "SUCCESS"
    assert second["run"]["closed_run"] is None
    assert [m["type"] for m in second["messages"]] == ["human", "ai", "human", "ai"]


async def test_a_run_that_is_rolled_back_leaves_no_trace_of_itself(
    client: LangGraphClient, folder: Path
) -> None:
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "diagnosis", input=GIVEN)
    await held(folder)
    await client.runs.cancel(thread, run["run_id"], wait=True, action="rollback")
    (folder / "hold").unlink()
    await client.runs.wait(thread, "diagnosis", input=GIVEN)
    after = await state(client, thread)
    assert after["release"]["outcome"] == "SUCCESS"
    assert [message["type"] for message in after["messages"]] == ["human", "ai"]
