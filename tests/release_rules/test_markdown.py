"""Whatever text a message holds comes out as text (C6.4)."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from release.markdown import bullets, code, fenced, inline, paragraphs
from tests.release_rules.records import patient
from tests.release_rules.rendered import NASTY, tokens


@pytest.mark.parametrize("text", NASTY)
def test_a_quote_is_shown_as_it_stands(text):
    quote = text if text.isprintable() else text.replace("\r", "")
    (fence,) = [token for token in tokens(fenced(quote)) if token.type == "fence"]
    if quote.replace("\n", "").isprintable():
        assert fence.content == f"{quote}\n"


markup = st.text(st.sampled_from("![]()<>`*_~#-+=|&;:/\\ \n\tab1.@w中{}\"'"), max_size=60)


@patient
@given(markup)
@example("- >")
def test_prose_is_inert(text):
    # C6.4
    found = tokens(paragraphs(text))
    allowed = {"paragraph_open", "paragraph_close", "inline", "text", "code_inline"}
    allowed |= {"bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close"}
    allowed |= {"ordered_list_open", "ordered_list_close"}
    assert {token.type for token in found} <= allowed


@patient
@given(markup)
def test_a_list_item_is_inert(text):
    found = tokens(bullets([inline(text)]))
    allowed = {"bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close"}
    allowed |= {"paragraph_open", "paragraph_close", "inline", "text", "code_inline"}
    assert {token.type for token in found} <= allowed


@patient
@given(markup)
def test_a_line_of_prose_reads_as_it_was_written(text):
    # C6.4: inert, and nothing is lost
    found = [
        token for token in tokens(f"x {inline(text)}") if token.type in {"text", "code_inline"}
    ]
    assert "".join(token.content for token in found) == f"x {' '.join(text.split())}".rstrip()


@patient
@given(markup)
def test_code_is_code_and_keeps_its_text(text):
    line = " ".join(text.split())
    found = [token for token in tokens(f"x {code(text)} y") if token.type == "code_inline"]
    if line:
        assert [token.content for token in found] == [line]


@patient
@given(markup)
def test_a_fence_holds_whatever_it_is_given(text):
    found = [token for token in tokens(fenced(text)) if token.type not in {"text"}]
    assert [token.type for token in found] == ["fence"]
    assert found[0].content == f"{text}\n"


def test_lines_become_paragraphs_and_fences_grow_with_what_they_hold():
    assert paragraphs("one\n\n  two\r\n- three") == "one\n\ntwo\n\n- three"
    assert paragraphs("12.  four\n- - five\n-6\n7.5") == "12. four\n\n- \\- five\n\n-6\n\n7.5"
    assert inline("1) x") == "1\\) x"
    assert inline("1.") == "1\\."
    assert [inline(one) for one in ("# a", "> a", "+ a", "-", "--a", "+1")] == [
        "\\# a",
        "\\> a",
        "\\+ a",
        "\\-",
        "\\--a",
        "+1",
    ]
    assert fenced("x") == "```text\nx\n```"
    assert fenced("``` y") == "````text\n``` y\n````"
    assert code("a ` b") == "``a ` b``"
    assert code("`a") == "`` `a ``"


def test_addresses_become_code():
    assert inline("see http://a.example/x?y=1_2, 好") == "see `http://a.example/x?y=1_2,` 好"
    assert inline("www.a.example。") == "`www.a.example`。"
    assert inline("snake_case and a_b") == "snake_case and a_b"
