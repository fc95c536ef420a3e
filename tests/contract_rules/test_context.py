"""When a request repeats earlier observations shortened: in rare blocks, the oldest first (C8)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.contract.budget import begin_usage, tokens_left
from graph.contract.context import (
    BYTES_A_TOKEN,
    REQUESTS_AHEAD,
    affordable,
    observations_to_shorten,
)
from tests.contract_rules.world import limits

SIZES = st.lists(st.tuples(st.integers(1, 9_000), st.integers(0, 1_500)), max_size=12)


def test_what_the_constants_mean() -> None:
    # C8: four requests of 300 bytes are 1,200 bytes, that is 400 tokens
    assert (BYTES_A_TOKEN, REQUESTS_AHEAD) == (3, 4)
    assert affordable(300, 400)
    assert not affordable(300, 399)
    assert affordable(0, 0)
    assert not affordable(1, 0)


def test_nothing_is_shortened_while_several_requests_are_affordable() -> None:
    # C8
    sizes = [100, 100], [10, 10]
    assert observations_to_shorten(*sizes, already=0, shown=300, tokens_left=400) == 0
    assert observations_to_shorten(*sizes, already=1, shown=300, tokens_left=400) == 1


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        # eight requests of what is left are affordable again: 300, 210, 120 or 30 bytes
        (399, 2),
        (560, 0),
        (560 - 1, 0),
        (330, 2),
        (320, 2),
        (319, 3),
        (100, 3),
        (0, 3),
    ],
)
def test_the_oldest_go_in_one_block_until_twice_as_many_fit(tokens: int, expected: int) -> None:
    # C8
    count = observations_to_shorten(
        [100, 100, 100], [10, 10, 10], already=0, shown=300, tokens_left=tokens
    )
    assert count == expected


def test_a_block_ends_as_soon_as_twice_as_many_fit() -> None:
    # C8
    # after the first one 120 bytes are left: eight of them are exactly 320 tokens
    sizes = [190, 50], [10, 10]
    assert observations_to_shorten(*sizes, already=0, shown=300, tokens_left=320) == 1
    assert observations_to_shorten(*sizes, already=0, shown=300, tokens_left=319) == 2


def test_what_is_shortened_stays_so_and_is_not_counted_twice() -> None:
    # C8
    sizes = [190, 100], [10, 10]
    assert observations_to_shorten(*sizes, already=1, shown=210, tokens_left=270) == 2
    assert observations_to_shorten(*sizes, already=2, shown=900, tokens_left=1) == 2


def test_nothing_to_shorten_is_no_error() -> None:
    # C8
    assert observations_to_shorten([], [], already=0, shown=10_000, tokens_left=1) == 0


@given(SIZES, st.integers(0, 12), st.integers(0, 60_000), st.integers(0, 60_000))
def test_the_count_never_falls_and_never_runs_over(
    sizes: list[tuple[int, int]], already: int, rest: int, tokens: int
) -> None:
    # C8
    whole, short = [w for w, _ in sizes], [min(w, s) for w, s in sizes]
    already = min(already, len(sizes))
    shown = rest + sum(short[:already]) + sum(whole[already:])
    count = observations_to_shorten(whole, short, already=already, shown=shown, tokens_left=tokens)
    assert already <= count <= len(sizes)
    after = rest + sum(short[:count]) + sum(whole[count:])
    assert count == len(sizes) or affordable(after, tokens)
    # stable: the same request again is left alone, or there is nothing more to do
    again = observations_to_shorten(whole, short, already=count, shown=after, tokens_left=tokens)
    assert again == count


def test_tokens_left_are_the_providers_own() -> None:
    # C8: provider-reported, never below zero
    of_run = {**limits(), "max_tokens": 100}
    assert tokens_left({**begin_usage(), "total_tokens": 30}, of_run) == 70
    assert tokens_left({**begin_usage(), "total_tokens": 100}, of_run) == 0
    assert tokens_left({**begin_usage(), "total_tokens": 130}, of_run) == 0
