"""What a call starts is taken down: after a time limit, a cancel, and at the end of a process."""

import asyncio
import logging
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.sources.foreign_tools import ask
from tests.sources.mcp_servers import (
    ROOT,
    left_over,
    over_stdio,
    plugged,
    wait_until_none_is_left,
    wait_until_noted,
)
from tools.adapters.mcp_session import StdioServer
from tools.adapters.mcp_tools import offered_tools
from tools.adapters.own_loop import in_own_loop
from tools.boundary import Invocation, Outcome, ToolBoundary
from tools.evidence import EvidenceTool, ToolFailure
from tools.invocations.sqlite import SqliteInvocationStore
from tools.requests import PreparedRequest, prepare_request

ENDS_AT_ONCE = """
import asyncio, sys
from tests.sources.test_mcp_processes import hanging, invoked
print(asyncio.run(invoked(hanging(), 2.0)).record["error_code"])
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SHOP_FOLDER", str(tmp_path))
    return tmp_path


def hanging() -> EvidenceTool[Any]:
    (tool,) = plugged(over_stdio("hangs", env_from=("SHOP_FOLDER",)))
    return tool


async def invoked(tool: EvidenceTool[Any], timeout_seconds: float) -> Outcome:
    """One call behind the boundary, as a run makes it."""
    prepared = prepare_request(tool, {})
    assert isinstance(prepared, PreparedRequest)
    store = SqliteInvocationStore(":memory:")
    call = Invocation(
        run_id="r1",
        run_key="k1",
        tool_call_id="c1",
        tool=tool,
        prepared=prepared,
        timeout_seconds=timeout_seconds,
        max_bytes=8_192,
    )
    try:
        return await ToolBoundary(store).invoke(call)
    finally:
        await store.aclose()


async def test_a_call_that_hangs_times_out_and_leaves_no_process(folder: Path) -> None:
    # C5.1: the boundary bounds it; a server that ignores the end of its input is killed
    outcome = await invoked(hanging(), 2.0)
    assert outcome.record["error_code"] == "TOOL_TIMEOUT"
    assert outcome.record["retryable"]
    await asyncio.to_thread(wait_until_none_is_left, folder)


async def test_a_cancelled_call_leaves_no_process(folder: Path) -> None:
    call = asyncio.create_task(ask(hanging()))
    await asyncio.to_thread(wait_until_noted, folder, "child-")
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await asyncio.to_thread(wait_until_none_is_left, folder)


def test_a_process_ends_after_what_it_started(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENDS_AT_ONCE],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout == "TOOL_TIMEOUT\n"
    assert left_over(folder) == []
    assert done.stderr == ""  # neither the server's own words nor the client library's


async def test_what_a_server_or_its_client_says_is_not_heard(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    noise = StdioServer(
        sys.executable, ("-c", "import time; print('canary-7f3a', flush=True); time.sleep(300)")
    )
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(2):
            await offered_tools(noise)
    assert "canary" not in "".join(capfd.readouterr())
    assert "canary" not in caplog.text
    logging.getLogger("mcp.client.stdio").warning("of somebody else's session")
    assert "of somebody else's session" in caplog.text


@pytest.mark.parametrize(
    ("program", "args"), [("/no/such/program", ()), ("false", ()), ("true", ())]
)
async def test_a_program_that_does_not_serve_is_unavailable(
    program: str, args: tuple[str, ...]
) -> None:
    with pytest.raises(ToolFailure, match=r"\ATOOL_UNAVAILABLE\Z"):
        await offered_tools(StdioServer(program, args))


async def test_a_job_in_its_own_loop_hears_its_cancel_and_may_clean_up() -> None:
    begun, cleaned = threading.Event(), threading.Event()

    async def job() -> None:
        begun.set()
        try:
            await asyncio.sleep(90)
        finally:
            await asyncio.sleep(0.05)
            cleaned.set()

    waiting = asyncio.create_task(in_own_loop(job))
    await asyncio.to_thread(begun.wait, 60)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await asyncio.to_thread(cleaned.wait, 60)


async def test_jobs_run_beside_each_other_and_not_in_the_callers_loop() -> None:
    everybody = threading.Barrier(20)

    async def job() -> int:
        everybody.wait(60)  # would hold up a shared loop, or a pool that is too small
        return threading.get_ident()

    threads = await asyncio.gather(*(in_own_loop(job) for _ in range(20)))
    assert len(set(threads)) == 20
    assert threading.get_ident() not in threads
