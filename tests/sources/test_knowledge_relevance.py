"""How queries and sections meet: terms, similarity from 0 to 1, DIRECT or REFERENCE (C5.4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.evidence import RelevanceLevel
from tools.knowledge.relevance import (
    DIRECT_HINT_SHARE,
    DIRECT_SIMILARITY,
    relevance_level,
    weigh,
)
from tools.knowledge.terms import query_terms, text_terms


def test_chinese_is_matched_by_pairs_of_characters_and_english_by_words() -> None:
    assert query_terms("切换企业 Redis") == [("切换", "换企", "企业"), ("redis",)]
    assert text_terms("切换企业") == ["切换", "换企", "企业", "业"]


def test_a_compound_identifier_is_found_whole_and_by_its_parts() -> None:
    assert query_terms("KubePodNotReady") == [("kubepodnotready", "kube", "pod", "not", "ready")]
    assert query_terms("E04321 kube-proxy") == [("e04321",), ("kube",), ("proxy",)]


def test_words_that_only_ask_are_left_out_unless_there_is_nothing_else() -> None:
    assert query_terms("how to fix the disk") == [("fix",), ("disk",)]
    assert query_terms("磁盘满了怎么办") == [("磁盘", "盘满")]
    assert query_terms("how to") == [("how",), ("to",)]
    assert query_terms("！？ …") == []


def test_a_link_is_found_by_its_words_not_by_its_target() -> None:
    assert text_terms("[disk guide](https://host.example/x) https://a.example/y z") == [
        "disk",
        "guide",
        "z",
    ]


# C5.4
def test_similarity_is_the_share_of_the_query_weight_that_a_section_covers() -> None:
    weights = weigh([("redis",), ("slow",)], {"redis": 1, "slow": 8}, sections=8)
    assert weights.share({"redis", "slow"}) == 1.0
    assert weights.share(set()) == 0.0
    assert weights.share({"redis"}) > weights.share({"slow"}) > 0  # the rarer word says more


# C5.4
def test_a_word_the_folder_has_never_seen_lowers_similarity() -> None:
    weights = weigh([("redis",), ("kafka",)], {"redis": 2, "kafka": 0}, sections=8)
    assert 0 < weights.share({"redis"}) < 0.5


# C5.4
def test_an_unseen_pair_beside_a_seen_one_is_a_word_boundary() -> None:
    counts = {"切换": 1, "换企": 0, "企业": 1}
    assert weigh([("切换", "换企", "企业")], counts, sections=4).share({"切换", "企业"}) == 1.0
    assert weigh([("切换", "换企")], {}, sections=4).share(set()) == 0.0


# C5.4
@given(
    st.lists(st.lists(st.sampled_from("abcdef"), min_size=1).map(tuple)),
    st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 50)),
    st.sets(st.sampled_from("abcdef")),
)
def test_similarity_never_leaves_zero_to_one(
    runs: list[tuple[str, ...]], counts: dict[str, int], found: set[str]
) -> None:
    assert 0.0 <= weigh(runs, counts, sections=50).share(found) <= 1.0 + 1e-9


# C5.4
@pytest.mark.parametrize(
    ("similarity", "hint_share", "level"),
    [
        (DIRECT_SIMILARITY, DIRECT_HINT_SHARE, RelevanceLevel.DIRECT),
        (DIRECT_SIMILARITY - 0.01, 1.0, RelevanceLevel.REFERENCE),
        (1.0, DIRECT_HINT_SHARE - 0.01, RelevanceLevel.REFERENCE),
    ],
)
def test_direct_needs_similarity_and_a_hint_in_the_headings(
    similarity: float, hint_share: float, level: RelevanceLevel
) -> None:
    assert relevance_level(similarity, hint_share=hint_share) is level
