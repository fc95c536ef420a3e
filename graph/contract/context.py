"""How many earlier observations a request carries shortened, so that a run's tokens last (C8).

A request repeats the whole dialogue. While several more requests of its size are affordable nothing
is rewritten, and a provider's prompt cache keeps the prefix; when they are not, the oldest
observations are shortened in one block, until twice as many are. Shortened ones stay so.
"""

from collections.abc import Sequence

BYTES_A_TOKEN = 3
"""UTF-8 bytes; a careful middle of logs, JSON and Chinese. It plans ahead, it never counts."""
REQUESTS_AHEAD = 4
"""How many more requests of the present size must be affordable."""


def observations_to_shorten(
    whole: Sequence[int], short: Sequence[int], *, already: int, shown: int, tokens_left: int
) -> int:
    """How many of the oldest observations to show shortened, `already` at least.

    `whole`, `short`: bytes of each observation of an earlier round in either form, oldest first.
    `shown`: bytes of the next request with the first `already` shortened.
    """
    if affordable(shown, tokens_left):
        return already
    count = already
    while count < len(whole) and not affordable(2 * shown, tokens_left):
        shown -= whole[count] - short[count]
        count += 1
    return count


def affordable(shown: int, tokens_left: int) -> bool:
    """Whether several more requests of `shown` bytes can be paid for."""
    return shown * REQUESTS_AHEAD <= tokens_left * BYTES_A_TOKEN
