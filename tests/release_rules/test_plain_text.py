"""Text is shown whole, bounded and inert; the language is the question's."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from release.language import language_of
from release.plain_text import cut_to_bytes, one_line, visible, without_lone_surrogates
from tests.release_rules.records import patient

anything = st.text(st.characters(codec=None))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("日志 ok\n\tnext", "日志 ok\n\tnext"),
        ("a\r\nb", "a\nb"),
        ("a\rb", "a\\rb"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x00\x07\x7f\x9b", "\\x00\\x07\\x7f\\x9b"),
        ("abc\u202edcba", "abc\\u202edcba"),
        ("\u2066x\u2069\u200e\u200b\ufeff", "\\u2066x\\u2069\\u200e\\u200b\\ufeff"),
        ("a\u2028b\u2029", "a\\u2028b\\u2029"),
        ("\U000e0041", "\\U000e0041"),
        ("\ud800", "\\ud800"),
        ("👩\u200d💻 e\u0301 می\u200cخواهم", "👩\u200d💻 e\u0301 می\u200cخواهم"),
    ],
)
def test_visible(text, shown):
    assert visible(text) == shown
    assert visible(shown) == shown


@patient
@given(anything)
def test_nothing_that_acts_is_left(text):
    left = {c for c in visible(text) if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"}}
    assert left <= set("\n\t\u200c\u200d")


def test_one_line_folds_white_space_and_cuts_with_a_mark():
    assert one_line("  a\n\n b\u2028c\t", 20) == "a b c"
    assert one_line("x" * 10, 10) == "x" * 10
    assert one_line("x" * 11, 10) == "x" * 9 + "…"
    assert one_line("abcd efgh", 6) == "abcd…"
    assert one_line("\x1b", 20) == "\\x1b"


@patient
@given(anything, st.integers(1, 40))
def test_one_line_is_one_bounded_line(text, most):
    line = one_line(text, most)
    assert len(line) <= most
    assert len(line.splitlines()) <= 1
    assert line == line.strip()


@patient
@given(st.text(st.characters(codec="utf-8")), st.integers(0, 40))
def test_a_cut_keeps_whole_characters_and_wastes_none(text, most):
    # inspect_ai 4656
    cut = cut_to_bytes(text, most)
    assert text.startswith(cut)
    assert len(cut.encode()) <= most
    rest = text[len(cut) :]
    assert not rest or len((cut + rest[0]).encode()) > most


def test_lone_surrogates():
    assert without_lone_surrogates("a\ud800b\udc00") == "a\ufffdb\ufffd"
    assert without_lone_surrogates("日志 😀") == "日志 😀"
    assert without_lone_surrogates("abc") == "abc"


@patient
@given(anything)
def test_surrogates_never_stop_encoding(text):
    without_lone_surrogates(text).encode("utf-8")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("诊断切换企业失败的问题", "zh"),
        ("why does order-service 报错", "zh"),
        ("㐀", "zh"),
        ("\U00020000", "zh"),
        ("〇", "zh"),
        ("豈", "zh"),
        ("Why did it fail?", "en"),
        ("", "en"),
        ("。，！？「」", "en"),
        ("ｆｕｌｌ", "en"),
        ("Почему？ カタカナ 한글", "en"),
    ],
)
def test_language_of_a_text(text, language):
    # C6.3: in the language of the question
    assert language_of(text) == language
