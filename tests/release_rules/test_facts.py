"""A fact in words: tool, scope, time zone, how much of how much (C6.3)."""

import pytest

from release.facts import MAX_SCOPE_CHARACTERS, MAX_VALUE_CHARACTERS, fact_sentence, scope_in_words
from tests.release_rules.records import empty, knowledge, record, snapshot

WINDOW = {"start": "2030-01-02T03:00:00+00:00", "end": "2030-01-02T04:00:00+00:00"}


def sentence(stored, language):
    return fact_sentence(snapshot(stored).facts[0], language)


@pytest.mark.parametrize(
    ("stored", "chinese", "english"),
    [
        (
            record("a"),
            "query_logs（服务 tenant）：找到 1 条。",
            "query_logs (service tenant): 1 found.",
        ),
        (
            record("a", total=None),
            "query_logs（服务 tenant）：找到 1 条。",
            "query_logs (service tenant): 1 found.",
        ),
        (
            record("a", total=0),
            "query_logs（服务 tenant）：找到 1 条。",
            "query_logs (service tenant): 1 found.",
        ),
        (
            record("a", total=95, truncated=True),
            "query_logs（服务 tenant）：共匹配 95 条，取得其中 1 条，内容有截断。",
            "query_logs (service tenant): 1 of 95 matches retrieved, content was truncated.",
        ),
        (
            record("a", total=None, truncated=True),
            "query_logs（服务 tenant）：找到 1 条，内容有截断。",
            "query_logs (service tenant): 1 found, content was truncated.",
        ),
        (
            empty("a"),
            "query_logs（服务 tenant）：该范围内没有匹配的内容。",
            "query_logs (service tenant): nothing matched in this scope.",
        ),
        (
            empty("a", truncated=True),
            "query_logs（服务 tenant）：该范围内没有匹配的内容，内容有截断。",
            "query_logs (service tenant): nothing matched in this scope, content was truncated.",
        ),
        (
            knowledge("a", scope={"query": "令牌"}),
            "lookup_knowledge（检索“令牌”）：找到 1 条，仅为相关度不高的参考资料，"
            "不是本次故障的事实。",
            'lookup_knowledge (search "令牌"): 1 found, loosely related reference material, '
            "not a fact of this incident.",
        ),
        (
            knowledge("a", scope={"query": "令牌"}) | {"relevance_level": "DIRECT"},
            "lookup_knowledge（检索“令牌”）：找到 1 条，属于通用知识，不是本次故障的事实。",
            'lookup_knowledge (search "令牌"): 1 found, general knowledge, '
            "not a fact of this incident.",
        ),
        (
            empty("a", tool="lookup_knowledge", factual=False, scope={"query": "令牌"}),
            "lookup_knowledge（检索“令牌”）：该范围内没有匹配的内容。",
            'lookup_knowledge (search "令牌"): nothing matched in this scope.',
        ),
    ],
)
def test_sentence(stored, chinese, english):
    # C6.3
    assert sentence(stored, "zh") == chinese
    assert sentence(stored, "en") == english


@pytest.mark.parametrize(
    ("scope", "chinese", "english"),
    [
        ({}, "全部范围", "everything"),
        ({"limit": 20, "level": None, "keyword": "", "around": 2}, "全部范围", "everything"),
        (
            WINDOW,
            "时间 2030-01-02 03:00:00 UTC 至 2030-01-02 04:00:00 UTC",
            "time 2030-01-02 03:00:00 UTC to 2030-01-02 04:00:00 UTC",
        ),
        (
            {**WINDOW, "timezone": "UTC"},
            "时间 2030-01-02 03:00:00 UTC 至 2030-01-02 04:00:00 UTC",
            "time 2030-01-02 03:00:00 UTC to 2030-01-02 04:00:00 UTC",
        ),
        (
            {**WINDOW, "timezone": "Asia/Shanghai"},
            "时间 2030-01-02 03:00:00 UTC 至 2030-01-02 04:00:00 UTC，提问时区 Asia/Shanghai",
            "time 2030-01-02 03:00:00 UTC to 2030-01-02 04:00:00 UTC, "
            "asked in time zone Asia/Shanghai",
        ),
        (
            {"start": WINDOW["start"], "end": None},
            "时间 2030-01-02 03:00:00 UTC 起",
            "time from 2030-01-02 03:00:00 UTC",
        ),
        (
            {"end": WINDOW["end"]},
            "时间截至 2030-01-02 04:00:00 UTC",
            "time until 2030-01-02 04:00:00 UTC",
        ),
        (
            {"start": None, "end": None, "timezone": "Asia/Shanghai"},
            "不限时间",
            "any time",
        ),
        (
            {"start": "2030-01-02T11:00:00.5+08:00"},
            "时间 2030-01-02 11:00:00+08:00 起",
            "time from 2030-01-02 11:00:00+08:00",
        ),
        (
            {"start": "2030-01-02T11:00:00", "timezone": "Asia/Shanghai"},
            "时间 2030-01-02 11:00:00 Asia/Shanghai 起，提问时区 Asia/Shanghai",
            "time from 2030-01-02 11:00:00 Asia/Shanghai, asked in time zone Asia/Shanghai",
        ),
        (
            {"start": "2030-01-02T11:00:00"},
            "时间 2030-01-02 11:00:00 未注明时区 起",
            "time from 2030-01-02 11:00:00 time zone not stated",
        ),
        (
            {"start": None, "end": "2030-01-02T11:00:00", "timezone": "+08:00"},
            "时间截至 2030-01-02 11:00:00 +08:00，提问时区 +08:00",
            "time until 2030-01-02 11:00:00 +08:00, asked in time zone +08:00",
        ),
        (
            {"end": "2030-01-02T11:00:00"},
            "时间截至 2030-01-02 11:00:00 未注明时区",
            "time until 2030-01-02 11:00:00 time zone not stated",
        ),
        ({"limit": 5, "level": None, "service": "pay"}, "服务 pay", "service pay"),
        ({"start": "yesterday"}, "时间 yesterday 起", "time from yesterday"),
        ({"start": 1893553200}, "时间 1893553200 起", "time from 1893553200"),
        (
            {"level": "ERROR", "keyword": "超时", "service": "pay"},
            "级别 ERROR，关键词“超时”，服务 pay",
            'level ERROR, keyword "超时", service pay',
        ),
        ({"sql": "SELECT 1\nFROM t"}, "SQL：SELECT 1 FROM t", "SQL: SELECT 1 FROM t"),
        (
            {"region": "eu", "tags": ["a", "é"], "deep": {"x": 1}, "flag": False, "n": 0},
            'region=eu，tags=["a", "é"]，deep={"x": 1}，flag=false，n=0',
            'region=eu, tags=["a", "é"], deep={"x": 1}, flag=false, n=0',
        ),
    ],
)
def test_scope(scope, chinese, english):
    # C6.3: which scope and time zone
    assert scope_in_words(scope, "zh") == chinese
    assert scope_in_words(scope, "en") == english


def test_what_a_scope_holds_is_bounded_and_inert():
    # C6.3: bounded
    assert scope_in_words({"keyword": "{x}\x1b[2J\u202e"}, "en") == 'keyword "{x}\\x1b[2J\\u202e"'
    assert scope_in_words({"service": "s" * 999}, "en") == (
        "service " + "s" * (MAX_VALUE_CHARACTERS - 1) + "…"
    )
    long = scope_in_words({f"k{n}": "v" * 100 for n in range(9)}, "en")
    assert len(long) == MAX_SCOPE_CHARACTERS
    assert long.endswith("…")
