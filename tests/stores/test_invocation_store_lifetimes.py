"""Every invocation store outlives tasks, event loops, itself and its process (C5.1)."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

from tests.stores.kinds import Kind, ready, record


def test_one_event_loop_after_the_other(kind: Kind, tmp_path: Path) -> None:
    opened = kind.open(tmp_path)

    async def claim() -> str:
        return (await opened.begin(record(), now=70.0)).decision

    async def finish() -> None:
        await opened.mark_ready(ready())

    async def close() -> None:
        await opened.aclose()

    assert asyncio.run(claim()) == "RUN"
    assert asyncio.run(claim()) == "WAIT"
    asyncio.run(finish())
    assert asyncio.run(claim()) == "READY"
    asyncio.run(close())


def test_a_loop_that_ends_in_the_middle_of_an_operation(kind: Kind, tmp_path: Path) -> None:
    opened = kind.open(tmp_path)

    async def abandon() -> None:
        task = asyncio.create_task(opened.begin(record(), now=70.0))
        await asyncio.sleep(0)
        task.cancel()

    async def claim() -> str:
        decision = (await opened.begin(record(owner="owner-2"), now=70.0)).decision
        await opened.aclose()
        return decision

    asyncio.run(abandon())
    # whether the abandoned claim took effect or not: the store answers, and nothing ran twice
    assert asyncio.run(claim()) in ("RUN", "WAIT")


async def test_closing_twice_or_unopened_is_nothing(kind: Kind, tmp_path: Path) -> None:
    opened = kind.open(tmp_path)
    await opened.aclose()
    await opened.find("k1")
    await opened.aclose()
    await opened.aclose()


async def test_a_record_outlives_its_store(shared: Kind, tmp_path: Path) -> None:
    first = shared.open(tmp_path)
    await first.begin(record(), now=70.0)
    await first.mark_ready(ready())
    await first.aclose()
    assert await first.find("k1") == ready()  # the same store opens again
    await first.aclose()
    second = shared.open(tmp_path)
    assert (await second.begin(record(owner="owner-2"), now=71.0)).decision == "READY"
    await second.aclose()


CLAIM_ALL = """
import asyncio, json, sys
from pathlib import Path
folder, owner, template = Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
{store}
async def main():
    print("up", flush=True)
    sys.stdin.readline()
    decisions = []
    for number in range(30):
        claim = {{**template, "key": f"k{{number}}", "owner": owner}}
        decisions.append((await store.begin(claim, now=float(sys.argv[4]))).decision)
    await store.aclose()
    print(json.dumps(decisions))
asyncio.run(main())
"""


def claim_in_processes(kind: Kind, folder: Path, count: int, now: float) -> list[list[str]]:
    """What `count` processes are told that claim the same thirty keys at the same time."""
    code = CLAIM_ALL.format(store=kind.elsewhere)
    template = json.dumps(record(lease_expires_at=now + 30))
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(folder), f"owner-{now}-{n}", template, str(now)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for n in range(count)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = [process.communicate(timeout=60)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * count
    return [json.loads(answer) for answer in answers]


async def test_processes_share_one_claim(shared: Kind, tmp_path: Path) -> None:
    # C5.1: begin is atomic between processes, from the creation of the store on
    answers = await asyncio.to_thread(claim_in_processes, shared, tmp_path, 4, 70.0)
    for decisions in zip(*answers, strict=True):
        assert sorted(decisions) == ["RUN", "WAIT", "WAIT", "WAIT"]
    # the winners are gone; their leases expire and each is taken over once
    answers = await asyncio.to_thread(claim_in_processes, shared, tmp_path, 3, 101.0)
    for decisions in zip(*answers, strict=True):
        assert sorted(decisions) == ["TAKEN_OVER", "WAIT", "WAIT"]


def test_a_process_may_exit_without_closing(shared: Kind, tmp_path: Path) -> None:
    code = (
        "import asyncio, json, sys\nfrom pathlib import Path\nfolder = Path(sys.argv[1])\n"
        f"{shared.elsewhere}\nasyncio.run(store.find('k1'))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], timeout=60, check=False)
    assert done.returncode == 0
