"""What the rules model reads in a question: window, zone, ids, phrases, whether it is bounded."""

import pytest

from graph.offline.dialogue import Question, read_question

ASKED = "\n\n[asked at 2031-05-03T09:00:00+00:00, time zone Asia/Tokyo]"


def read(text: str) -> Question:
    return read_question(text + ASKED)


def window(text: str) -> tuple[str, str]:
    question = read(text)
    assert question.window
    start, end = question.window
    return start.isoformat(), end.isoformat()


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        (
            "2031-05-02 09:21 到 09:22（UTC）",
            "2031-05-02T09:21:00+00:00",
            "2031-05-02T09:22:59+00:00",
        ),
        (
            "北京时间 2031 年 5 月 2 日 下午 5:33 到 5:34",
            "2031-05-02T17:33:00+08:00",
            "2031-05-02T17:34:59+08:00",
        ),
        (
            "between 13:23 and 13:25 UTC on 2 May 2031",
            "2031-05-02T13:23:00+00:00",
            "2031-05-02T13:25:59+00:00",
        ),
        (
            "in the 31/05/02 20:10-20:11 log, UTC",
            "2031-05-02T20:10:00+00:00",
            "2031-05-02T20:11:59+00:00",
        ),
        ("Dec 10 10:54 到 11:05", "2030-12-10T10:54:00+09:00", "2030-12-10T11:05:59+09:00"),
        (
            "around 08:20 UTC on May 2, 2031",
            "2031-05-02T08:10:00+00:00",
            "2031-05-02T08:30:00+00:00",
        ),
        ("since 2031-05-02 10:05 UTC", "2031-05-02T10:05:00+00:00", "2031-05-03T10:05:00+00:00"),
        ("2031-05-02", "2031-05-02T00:00:00+09:00", "2031-05-03T00:00:00+09:00"),
        ("昨天 14:00 到 15:30", "2031-05-02T14:00:00+09:00", "2031-05-02T15:30:59+09:00"),
    ],
)
def test_reads_the_window(text: str, start: str, end: str) -> None:  # C1.5
    assert window(text) == (start, end)


def test_an_impossible_date_is_none() -> None:
    assert read("2031-02-31 is no day").window is None


def test_reads_ids_with_the_noun_before_them() -> None:
    question = read("租户 t_blue 的订单 20771 支付失败")
    assert [(value, {"tenant", "order"} & nouns) for nouns, value in question.ids] == [
        ("t_blue", {"tenant"}),
        ("20771", {"order"}),
    ]


def test_reads_error_codes_and_quoted_text() -> None:
    question = read('cart-service says "connection refused" and CART_LOCK_LOST')
    assert question.phrases == ["connection refused", "CART_LOCK_LOST"]


@pytest.mark.parametrize(
    "text",
    [
        "诊断切换企业失败的问题",
        "cart-service 报错了",
        "昨天晚上服务挂了，为什么？",
        "Get me logs for the last 30 minutes",
        "It's the same error as yesterday. Why is it back?",
        "The API is slow. Find the root cause.",
        "Redis is down, why?",
    ],
)
def test_without_subject_or_time_nothing_is_bounded(text: str) -> None:
    assert not read(text).bounded


@pytest.mark.parametrize(
    "text",
    [
        "cart-service failed on 2031-05-02",
        "昨天 10:00 cart-service 报错",
        "Why was order 20771 rejected?",
        "GitLab.com 2031 年 1 月 31 日事故的根因",
    ],
)
def test_a_subject_and_a_time_or_one_row_is_bounded(text: str) -> None:
    assert read(text).bounded
