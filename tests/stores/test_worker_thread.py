"""The thread behind the embedded store: in order, and never for an asker who has gone."""

import asyncio
import gc
import threading

import pytest

from tools.invocations.worker_thread import WorkerThread

PATIENCE_SECONDS = 10.0


async def test_work_is_done_in_order_by_one_thread_and_answered():
    worker, done = WorkerThread("tested", at_end=lambda: None), []

    def work(number: int) -> tuple[int, str]:
        done.append(number)
        return number, threading.current_thread().name

    answers = await asyncio.gather(*(worker.run(lambda n=n: work(n)) for n in range(200)))
    assert answers == [(number, "tested") for number in range(200)]
    assert done == sorted(done)
    worker.stop()


async def test_what_the_work_raises_reaches_who_asked_and_nobody_else():
    worker = WorkerThread("tested", at_end=lambda: None)

    def fail() -> None:
        raise KeyError("of the work")

    failed, answered = await asyncio.gather(
        worker.run(fail), worker.run(lambda: 1), return_exceptions=True
    )
    assert isinstance(failed, KeyError)
    assert answered == 1
    worker.stop()


async def test_work_whose_asker_was_cancelled_before_its_turn_is_not_begun():
    worker, begin, done = WorkerThread("tested", at_end=lambda: None), threading.Event(), []
    held = asyncio.create_task(worker.run(lambda: begin.wait(PATIENCE_SECONDS)))
    late = asyncio.create_task(worker.run(lambda: done.append("late")))
    await asyncio.sleep(0)
    late.cancel()
    await asyncio.sleep(0)
    begin.set()
    assert await held
    await worker.run(lambda: done.append("after"))
    assert done == ["after"]
    worker.stop()


async def test_an_answer_that_nobody_waits_for_any_more_is_dropped():
    worker, begun, go_on = (
        WorkerThread("tested", at_end=lambda: None),
        threading.Event(),
        threading.Event(),
    )
    complaints: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))

    def work() -> None:
        begun.set()
        go_on.wait(PATIENCE_SECONDS)

    asked = asyncio.create_task(worker.run(work))
    await asyncio.to_thread(begun.wait, PATIENCE_SECONDS)
    asked.cancel()
    await asyncio.sleep(0)
    go_on.set()
    assert await worker.run(lambda: "next") == "next"
    assert complaints == []
    worker.stop()


def test_an_asker_whose_loop_was_closed_meanwhile_disturbs_nobody():
    worker, begin = WorkerThread("tested", at_end=lambda: None), threading.Event()

    async def leave() -> None:
        asked = asyncio.ensure_future(worker.run(lambda: begin.wait(PATIENCE_SECONDS)))
        await asyncio.sleep(0)
        left.append(asked)

    left: list[object] = []
    loop = asyncio.new_event_loop()
    loop.run_until_complete(leave())
    (asked,) = left
    asked._log_destroy_pending = False  # type: ignore[attr-defined]
    loop.close()
    begin.set()
    answer = asyncio.wait_for(worker.run(lambda: "answered"), PATIENCE_SECONDS)
    assert asyncio.run(answer) == "answered"
    worker.stop()


@pytest.mark.parametrize("how", ["stop", "forget"])
async def test_the_thread_ends_with_its_object(how: str):
    before, closed = set(threading.enumerate()), threading.Event()
    worker = WorkerThread("tested", at_end=closed.set)
    assert await worker.run(lambda: 1) == 1
    (thread,) = set(threading.enumerate()) - before
    if how == "stop":
        worker.stop()
    del worker
    gc.collect()
    await asyncio.to_thread(thread.join, PATIENCE_SECONDS)
    assert not thread.is_alive()
    assert closed.is_set()
