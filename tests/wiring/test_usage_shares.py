"""What a step spent is the same after it was stored (C8)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.contract.budget import Usage, UsageShare, add_usage, begin_usage
from graph.usage_shares import pack_share, unpack_share

FIELDS = st.sampled_from(list(Usage.__annotations__))


@given(st.dictionaries(FIELDS, st.integers(0, 10**9)))
def test_a_stored_share_adds_up_to_what_it_was(spent: UsageShare) -> None:
    # C8
    stored = unpack_share(pack_share(spent))
    assert add_usage(begin_usage(), stored) == add_usage(begin_usage(), spent)


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        unpack_share(pack_share({})[:-1])
