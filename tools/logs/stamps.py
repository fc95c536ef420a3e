"""How a log line writes its time: the known spellings, and the SQL that turns one into an instant.

A spelling is a pattern with named parts. The first that matches decides; a line that matches none
has no time of its own. Rules, in the order they bind:

- A written offset or IANA zone is obeyed. Other abbreviations (`CST`) name several zones and are
  read like no zone at all.
- No zone: the tool's default zone.
- No year (syslog, logcat, klog): kept as month, day and clock; the query's window decides the year.
- A local time that does not exist (30 February, hour 24, inside a DST gap) is no instant: the line
  keeps its text and has no time. A time that happens twice is its second occurrence.
- Epochs are seconds, milli-, micro- or nanoseconds by their number of digits.
"""

from dataclasses import dataclass

_HOUR = r"([01]?\d|2[0-3])"
_CLOCK = _HOUR + r":([0-5]?\d):([0-5]?\d)"
_FRACTION = r"(?:[.,](\d{1,9}))?"
_OFFSET = r"[+-](?:0\d|1[0-4])"
_ZONE = (
    rf"(?:(\s?(?:Z|UTC|GMT|{_OFFSET}:?[0-5]\d|[A-Z][A-Za-z]+/[A-Z][A-Za-z_/-]+)|{_OFFSET})"
    r"(?:[\])\s,;|:]|$))?"
)
_MONTH = r"(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_DAY = r"[\[(]?(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})[T _]{1,2}"
_ISO = rf"{_DAY}{_HOUR}:([0-5]\d):([0-5]\d){_FRACTION}{_ZONE}[\])]?"
_EPOCH = r"(1\d{9}(?:\.\d{1,9})?|1\d{12}|1\d{15}|1\d{18})"
_MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec"


@dataclass(frozen=True, slots=True)
class Spelling:
    """One way to write a time at the start of a line: an RE2 pattern and what each group holds."""

    name: str
    pattern: str
    parts: str

    @property
    def anchored(self) -> str:
        """The pattern from the start of the text; its first group is all it matched."""
        return f"^({self.pattern})"

    @property
    def groups(self) -> list[str]:
        return ["all", *self.parts.split()]


SPELLINGS = (
    Spelling("iso", _ISO, "y mo d h mi s f z"),
    Spelling("iso_minutes", rf"{_DAY}{_HOUR}:([0-5]\d){_ZONE}(?:[\])\s,|]|$)", "y mo d h mi z"),
    Spelling(
        "syslog",
        rf"(?:<(\d{{1,3}})>)?{_MONTH} +(\d{{1,2}})(?: (\d{{4}}))? {_CLOCK}{_FRACTION} ",
        "priority mo d y h mi s f",
    ),
    Spelling(
        "asctime",
        rf"\[?[A-Z][a-z]{{2}},? {_MONTH} +(\d{{1,2}}) {_CLOCK}{_FRACTION}"
        r"(?: (UTC|GMT|[A-Z]{2,5}|[+-]\d{4}))? (\d{4})\]?",
        "mo d h mi s f z y",
    ),
    Spelling(
        "access",
        rf"(\S+ \S+ \S+) \[(\d{{2}})/{_MONTH}/(\d{{4}}):{_CLOCK} ([+-]\d{{4}})\]",
        "before d mo y h mi s z",
    ),
    Spelling(
        "short_year", rf"(\d{{2}})/(\d{{2}})/(\d{{2}}) {_CLOCK}{_FRACTION}", "yy mo d h mi s f"
    ),
    Spelling(
        "logcat",
        rf"(\d{{2}})-(\d{{2}}) {_CLOCK}\.(\d{{3,6}})\s+\d+\s+\d+ ([VDIWEF]) ",
        "mo d h mi s f mark",
    ),
    Spelling("klog", rf"([IWEF])(\d{{2}})(\d{{2}}) {_CLOCK}\.(\d{{6}})\s", "mark mo d h mi s f"),
    Spelling(
        "compact_date", rf"(\d{{4}})(\d{{2}})(\d{{2}})-{_CLOCK}:(\d{{1,3}})\|", "y mo d h mi s ms"
    ),
    Spelling(
        "iso_basic",
        rf"(\d{{4}})(\d{{2}})(\d{{2}})T{_HOUR}([0-5]\d)([0-5]\d){_FRACTION}{_ZONE}",
        "y mo d h mi s f z",
    ),
    Spelling(
        "six_digits",
        rf"(\d{{2}})(\d{{2}})(\d{{2}}) {_HOUR}([0-5]\d)([0-5]\d) \d+ ",
        "yy mo d h mi s",
    ),
    Spelling("month_dot_day", rf"\[(\d{{2}})\.(\d{{2}}) {_CLOCK}\] ", "mo d h mi s"),
    Spelling(
        "chinese",
        rf"(\d{{4}})年(\d{{1,2}})月(\d{{1,2}})日\s*(上午|下午)?\s*{_HOUR}:([0-5]\d)"
        r"(?::([0-5]\d))?",
        "y mo d half h mi s",
    ),
    Spelling("epoch", rf"\[?{_EPOCH}\]?(?:\s|$)", "epoch"),
    Spelling("labelled_epoch", r"(\S+) (1\d{9}) \d{4}\.\d{2}\.\d{2} ", "before epoch"),
    Spelling("numbered_epoch", r"(\d+ \S+ \S+ \S+) (1\d{9}) \d ", "before epoch"),
    Spelling("iso_later", r"((?:\S+\s+){1,2})" + _ISO, "before y mo d h mi s f z"),
    # A clock without a date, or a date nobody can read: it opens an event, and that has no time.
    Spelling("clock_only", rf"\[?{_CLOCK}{_FRACTION}\]?\s", "oh omi os of"),
    Spelling("unreadable", r"[\[(]?\d{1,4}[-/]\w{1,3}[-/]\d{1,4}(?:T|\b)", ""),
)

_LOGFMT_VALUE = (
    r"(?:^|\s)(?:ts|time|timestamp|@timestamp|datetime|t)="
    r'(?:"([^"]{8,40})"|(\d{4}-\d\d-\d\d[T_]\S+|1\d{9}\S*))'
)


def sql_text(value: str) -> str:
    """A value as an SQL string literal. For our own constants only; data goes in as parameters."""
    return "'" + value.replace("'", "''") + "'"


def spelling_sql(text: str) -> str:
    """Number of the first spelling that matches the SQL text expression, or NULL."""
    cases = " ".join(
        f"WHEN regexp_matches({text}, {sql_text(spelling.anchored)}) THEN {number}"
        for number, spelling in enumerate(SPELLINGS)
    )
    return f"CASE WHEN {text} = '' THEN NULL {cases} END"


def parts_sql(text: str, number: str) -> str:
    """A STRUCT of the named parts of `text` under spelling `number`; a missing part is NULL."""
    cases = " ".join(
        f"WHEN {position} THEN "
        f"regexp_extract({text}, {sql_text(spelling.anchored)}, {spelling.groups!r})"
        for position, spelling in enumerate(SPELLINGS)
    )
    return f"CASE {number} {cases} END"


def logfmt_time_sql(text: str) -> str:
    """The value of a logfmt time key in `text`, or ''."""
    found = f"regexp_extract({text}, {sql_text(_LOGFMT_VALUE)}, ['quoted', 'bare'])"
    return f"list_transform([{found}], lambda f: concat(f.quoted, f.bare))[1]"


def naive_time_sql(parts: str) -> str:
    """The written local time as TIMESTAMP; without a year it lies in the leap year 2000."""
    year = f"coalesce(nullif({parts}.y, ''), '20' || nullif({parts}.yy, ''), '2000')"
    month = (
        f"CASE WHEN {parts}.mo >= 'A' "
        f"THEN ((position(lower(left({parts}.mo, 3)) IN '{_MONTHS}') + 2) // 3)::VARCHAR "
        f"ELSE {parts}.mo END"
    )
    hour = (
        f"CASE WHEN {parts}.half = '下午' AND {parts}.h::INT < 12 "
        f"THEN ({parts}.h::INT + 12)::VARCHAR ELSE {parts}.h END"
    )
    second = f"coalesce(nullif({parts}.s, ''), '0')"
    fraction = f"coalesce(nullif({parts}.f, ''), lpad(nullif({parts}.ms, ''), 3, '0'), '0')"
    return (
        f"try_cast({year} || '-' || ({month}) || '-' || {parts}.d || ' ' || ({hour}) || ':' || "
        f"{parts}.mi || ':' || {second} || '.' || {fraction} AS TIMESTAMP)"
    )


def has_year_sql(parts: str) -> str:
    """Whether the written time names its year."""
    return f"coalesce(nullif({parts}.y, ''), nullif({parts}.yy, '')) IS NOT NULL"


def epoch_sql(epoch: str) -> str:
    """TIMESTAMP in UTC of a decimal epoch string, its unit told by its number of digits."""
    whole = f"split_part({epoch}, '.', 1)"
    return (
        f"CASE length({whole}) "
        f"WHEN 10 THEN make_timestamp("
        f"round(try_cast({epoch} AS DECIMAL(28, 9)) * 1000000)::BIGINT) "
        f"WHEN 13 THEN make_timestamp(try_cast({whole} AS BIGINT) * 1000) "
        f"WHEN 16 THEN make_timestamp(try_cast({whole} AS BIGINT)) "
        f"WHEN 19 THEN make_timestamp(try_cast({whole} AS BIGINT) // 1000) END"
    )
