"""A long run's requests stay affordable: earlier observations shrink, what they proved does not."""

import asyncio
import itertools
import json
from collections.abc import Sequence
from typing import Any

from tests.fakes.bench import Bench, observations, play
from tests.fakes.replies import asks, call, draft
from tests.fakes.sources import KeywordSource, found
from tools.short_observation import short_observation

ROUNDS = 12
TEXTS = {
    f"scope {number}": f"{number:02d} ERROR first words {'and more ' * 500}{number:02d} last words"
    for number in range(1, ROUNDS + 1)
}
LATE_WORDS = "and more 01 last words"
"""Far beyond what a shortened text shows."""


def bench(*, max_tokens: int = 60_000, tokens_a_call: int = 1_000) -> Bench:
    usage = {"input_tokens": tokens_a_call, "output_tokens": 0, "total_tokens": tokens_a_call}
    moves: list[Any] = [
        asks(
            call(f"c{number}", f"scope {number}", f"c{number - 1}" if number > 1 else None),
            usage=usage,
        )
        for number in range(1, ROUNDS + 1)
    ]
    moves.append(draft("it is scope 1", ("c1", "e1", LATE_WORDS)))
    budget = {
        "max_tokens": max_tokens,
        "max_model_calls": 40,
        "max_tool_calls": 40,
        "max_run_observation_bytes": 1_000_000,
    }
    answers = {keyword: found(text) for keyword, text in TEXTS.items()}
    return Bench(agent=moves, tools=[KeywordSource(answers=answers)], harness={"budget": budget})


def texts(request: Sequence[Any]) -> list[str]:
    return [json.dumps(message.model_dump(), sort_keys=True) for message in request]


def rewritten(requests: Sequence[Sequence[Any]]) -> list[int]:
    """The requests that do not begin with the one before."""
    spelled = [texts(request) for request in requests]
    pairs = enumerate(itertools.pairwise(spelled), start=1)
    return [number for number, (one, next_one) in pairs if next_one[: len(one)] != one]


def test_nothing_is_rewritten_while_the_budget_is_large() -> None:
    # C9: a provider's cache keeps the prefix
    played = bench(max_tokens=1_000_000)
    play(played)
    assert len(played.requests) == ROUNDS + 1
    assert rewritten(played.requests) == []


def test_earlier_observations_shrink_in_few_blocks_and_the_latest_is_whole() -> None:
    # C8
    played = bench()
    state = play(played)
    assert state["release"]["outcome"] == "SUCCESS"
    blocks = rewritten(played.requests)
    assert 1 <= len(blocks) <= 3
    sizes = [sum(map(len, texts(request))) for request in played.requests]
    assert max(sizes) < 70_000
    assert sizes[blocks[0]] < sizes[blocks[0] - 1]
    for request in played.requests[1:]:
        latest = json.loads(request[-1].text)
        assert latest["truncated"] is False  # C2.1: what it has yet to judge is shown whole
        assert len(latest["evidence"][0]["text"]) > 4_000


def test_ids_scopes_and_the_ledger_of_what_was_checked_stay() -> None:
    played = bench()
    play(played)
    shown = [json.loads(m.text) for m in played.requests[-1] if m.type == "tool"]
    assert [one["tool_call_id"] for one in shown] == [f"c{n}" for n in range(1, ROUNDS + 1)]
    assert [one["scope"]["keyword"] for one in shown] == list(TEXTS)
    assert [one["evidence"][0]["id"] for one in shown] == ["e1"] * ROUNDS
    assert sum(one["truncated"] for one in shown) >= ROUNDS // 2


def test_the_stored_dialogue_is_whole_and_quotes_verify_against_the_store() -> None:
    # C6.2: the model quotes words that its last request did not show any more
    played = bench()
    state = play(played)
    assert LATE_WORDS not in "".join(m.text for m in played.requests[-1] if m.type == "tool")
    (cited,) = state["release"]["analysis"][0]["citations"]
    assert cited["quote"] == LATE_WORDS
    assert [len(one["evidence"][0]["text"]) > 4_000 for one in observations(state)] == [
        True
    ] * ROUNDS
    assert state["turn"]["shortened"] >= ROUNDS // 2


def test_a_repeat_of_a_shortened_scope_is_still_a_duplicate() -> None:
    # C3 rule 4: what was checked is counted from progress, not from the dialogue
    played = bench()
    moves = played.models["agent"].moves
    moves[-1:] = [asks(call("again", "scope 1", f"c{ROUNDS}")), moves[-1]]
    state = play(played)
    last = observations(state)[-1]
    assert (last["error_code"], last["already_checked"]) == ("DUPLICATE_SCOPE", "c1")


def test_a_run_resumed_from_a_checkpoint_shows_what_it_showed() -> None:
    # C1.2: the number of shortened observations is state
    played = bench()

    async def again() -> None:
        await played.run()
        asked = len(played.requests)
        thread = {"configurable": {"thread_id": "thread-1"}}
        history = [one async for one in played.graph.aget_state_history(thread)]
        (at,) = (
            one
            for one in history
            if one.next == ("model",) and len(one.values["dialogue"]) == 2 * (ROUNDS - 1)
        )
        assert at.values["turn"]["shortened"] > 0
        await played.graph.ainvoke(None, at.config)
        await played.store.aclose()
        assert texts(played.requests[asked]) == texts(played.requests[ROUNDS - 1])

    asyncio.run(again())


def test_shortening_does_not_depend_on_the_run() -> None:
    # byte for byte the same in every run
    one, other = bench(), bench()
    play(one)
    play(other)
    assert [texts(r)[2:] for r in one.requests] == [texts(r)[2:] for r in other.requests]
    assert short_observation("{}") == "{}"
