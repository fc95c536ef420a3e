"""How severe an event is: five levels, the words that mean them, and the SQL that finds one.

A level is read where loggers write it: a structured field; else the first word after the time, in
brackets or not; else the first upper-case level word or `level=` key near the start of the
message. The word inside a sentence (`ERRORS=0`, "no error") is not a level. A logfmt line or JSON
object without a level but with a non-empty `err`/`error` is an ERROR. What states no known level
has none, and matches no level filter. Filters mean "at least".
"""

from enum import IntEnum

from tools.logs.stamps import sql_text


class Level(IntEnum):
    """Severity; the numbers are what the index stores and compares."""

    DEBUG = 1
    INFO = 2
    WARN = 3
    ERROR = 4
    FATAL = 5


LEVEL_WORDS: dict[str, Level] = {
    word: level
    for level, words in {
        Level.DEBUG: "DEBUG DBG TRACE VERBOSE FINE FINER FINEST D V T 调试 7 10 20",
        Level.INFO: "INFO INFORMATION INFORMATIONAL NOTICE CONFIG I N 信息 6 5 30",
        Level.WARN: "WARN WARNING W 警告 4 40",
        Level.ERROR: "ERROR ERR E 错误 3 50",
        Level.FATAL: "FATAL SEVERE CRITICAL CRIT ALERT EMERG EMERGENCY PANIC DPANIC F C 致命 严重 "
        "2 1 0 60",
    }.items()
    for word in words.split()
}
"""Every synonym, upper case. SEVERE, CRITICAL, ALERT and EMERG are FATAL: the worst a source has.
Numbers, in structured fields only, are syslog severities (0-7) or those of pino and bunyan."""

_LONG_WORDS = "|".join(
    sorted((word for word in LEVEL_WORDS if len(word) > 1 and not word.isdigit()), key=len)[::-1]
)
_FIRST_WORD = (
    rf"(?i)^[\s|:,-]*(?:[\[(]?(?:[\w.]+:)?({_LONG_WORDS})(?:[\])>:,|\s]|$)"
    r"|<(\d{1,3})>|\[([DVTINWEFC])\])"
)
_NEARBY = (
    r'(?:(?i:\b(?:level|lvl|severity|loglevel|log_level)"?\s*[=:]\s*"?)([A-Za-z]+)'
    r"|\b(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|SEVERE|FATAL|CRITICAL)\b)"
)
_NEARBY_CHARS = 200
_ERROR_KEY = r'(?i)(?:^|\s)(?:err|error)=(?:"([^"]+)"|([^\s"]+))'
_NO_ERROR = "'nil', '<nil>', 'null', 'none', 'false', '0', 'ok', 'no', '-', '', '{}', '[]'"

OPENS_WITH_LEVEL = (
    r"^\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|SEVERE|FATAL|CRITICAL)\b[\]:\s]"
)
"""RE2 pattern of a line that opens with a level word, so that it begins an event of its own."""

LEADING_LEVEL = rf"^(?:\d\d:\d\d:\d\d[.,]\d+)?[\s|-]*[\[(]?(?i:{_LONG_WORDS})[\])]?(?:[\s:|,-]+|$)"
"""RE2 pattern of the level word, and a clock before it, that a message opens with."""

TABLE = "CREATE TABLE level_words AS SELECT * FROM (VALUES {}) words(word, level)".format(
    ", ".join(f"({sql_text(word)}, {level.value}::TINYINT)" for word, level in LEVEL_WORDS.items())
)


def first_word_sql(message: str) -> str:
    """The level word that a message (its time taken off) opens with, or ''."""
    groups = "['word', 'priority', 'letter']"
    found = f"regexp_extract({message}, {sql_text(_FIRST_WORD)}, {groups})"
    severity = severity_sql("f.priority")
    return f"list_transform([{found}], lambda f: concat(f.word, {severity}, f.letter))[1]"


def severity_sql(priority: str) -> str:
    """The severity, as text, in a syslog priority: facility * 8 + severity."""
    return f"(try_cast({priority} AS INT) % 8)::VARCHAR"


def nearby_word_sql(message: str) -> str:
    """The first level word or `level=` value near the start of a message, or ''."""
    head = f"left({message}, {_NEARBY_CHARS})"
    found = f"regexp_extract({head}, {sql_text(_NEARBY)}, ['key', 'word'])"
    return f"list_transform([{found}], lambda f: concat(f.key, f.word))[1]"


def error_key_sql(message: str) -> str:
    """What a logfmt message says under `err` or `error`, or ''."""
    found = f"regexp_extract({message}, {sql_text(_ERROR_KEY)}, ['quoted', 'bare'])"
    return f"list_transform([{found}], lambda f: concat(f.quoted, f.bare))[1]"


def says_error_sql(value: str) -> str:
    """Whether the value of an error field says that there was one."""
    return f"coalesce(lower({value}) NOT IN ({_NO_ERROR}), FALSE)"
