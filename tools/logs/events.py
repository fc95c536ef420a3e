"""How lines become events: the one SQL statement that reads pieces of text into the index.

An event is a header line and the lines that continue it, and is kept whole. In this order:

- A line that carries a time, is a JSON object, or opens with an upper-case level word begins an
  event. Containers' wrappers (docker JSON, CRI) are opened first: their time counts, their inner
  text is judged.
- A line that looks like a continuation (indented, a closing bracket, `Caused by:`, `... 12 more`,
  `Traceback`, an exception's class name) continues the event above it.
- Any other line continues the event above when an earlier line of the file carried a time in plain
  text; after JSON, or where no line above has a time, it is an event of its own, without a time.
- Blank lines are not events.

The header's time, level and service are the event's.
"""

from datetime import tzinfo

from tools.logs.fields import fields_sql, loose_value_sql
from tools.logs.levels import (
    LEADING_LEVEL,
    OPENS_WITH_LEVEL,
    Level,
    error_key_sql,
    first_word_sql,
    nearby_word_sql,
    says_error_sql,
    severity_sql,
)
from tools.logs.stamps import (
    epoch_sql,
    has_year_sql,
    logfmt_time_sql,
    naive_time_sql,
    parts_sql,
    spelling_sql,
    sql_text,
)
from tools.logs.zones import written_zone_to_utc_sql

_STAMP_CHARS = 128
_HEADER_CHARS = 600
_TEMPLATE_CHARS = 200
_SERVICE_CHARS = 100

_CONTINUES = (
    r"^(?:\s|[)}\]]|Caused by: |Suppressed: |\.\.\. \d+ |Traceback \(|During handling of |"
    r"The above exception |goroutine \d+ \[|"
    r"(?:[a-z_]\w*\.)+[A-Z]\w*(?:Exception|Error|Throwable)\b|"
    r"[A-Z]\w*(?:Exception|Error|Throwable)(?::|$))"
)
_CRI = r"(?s)^(\S{20,40}) (?:stdout|stderr) [FP] (.*)"
_SYSLOG = (
    r"(?s)^(?:\S+ )?(?:([\w./@-]+)(?:\([\w.-]+\))?:|([^\[\]:=]{1,48}?)(?:\([\w.-]+\))?\[\d+\]:?)"
    r"\s(.*)"
)
_SYSLOG_AFTER_ISO = r"(?s)^\s*\S+ ()([\w./@-]+)(?:\([\w.-]+\))?\[\d+\]: (.*)"
_LOGFMT_SERVICE = r'(?:^|\s)(?:service|service_name)="?([\w./-]{1,64})'
_MASKED = (
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|\b0x[0-9a-fA-F]+|"
    r"\b[0-9a-fA-F]{12,}\b|\d+(?:[.:]\d+)*"
)


def template_sql(message: str) -> str:
    """What a message has in common with others of its kind: numbers, ids and addresses masked."""
    opening = f"left(regexp_replace({message}, {sql_text(LEADING_LEVEL)}, ''), {_TEMPLATE_CHARS})"
    return f"trim(regexp_replace({opening}, {sql_text(_MASKED)}, '<*>', 'g'))"


def insert_sql(zone: tzinfo) -> str:
    """The statement that parses pieces of text into `fresh`.

    Parameters: `$file_ids`, `$first_lines`, `$texts`, `$folds`, four lists of one length. A piece
    that does not begin at line 1 continues the events of its file that are stored already.
    """
    stages = (_reading(), _timing(zone), _saying(), _judging(), _stating(), _grouping())
    return f"INSERT INTO fresh WITH {', '.join(stages)} {_STORED}"


def _reading() -> str:
    """Pieces to lines, their wrappers opened and JSON parsed."""
    docker = "outside.log IS NOT NULL AND outside.stream IS NOT NULL"
    return f"""
pieces AS (
  SELECT unnest($file_ids) AS file_id, unnest($first_lines) AS first_line,
         string_split(unnest($texts), chr(10)) AS texts,
         string_split(unnest($folds), chr(10)) AS folds),
raw AS (
  SELECT file_id, first_line + generate_subscripts(texts, 1) - 1 AS line_no,
         unnest(texts) AS text, unnest(folds) AS fold FROM pieces),
seen AS (
  SELECT file_id, line_no, text, nullif(fold, text) AS folded,
         CASE WHEN starts_with(text, '{{') AND json_valid(text)
              THEN {fields_sql("text")} END AS outside,
         regexp_extract(text, {sql_text(_CRI)}, ['time', 'payload']) AS cri
  FROM raw WHERE trim(text, ' ' || chr(9)) <> ''),
unwrapped AS (
  SELECT *, CASE WHEN cri.time <> '' THEN cri.time WHEN {docker} THEN outside.time END
              AS wrapper_time,
         CASE WHEN cri.time <> '' THEN cri.payload
              WHEN {docker} THEN rtrim(outside.log, chr(10) || chr(13))
              ELSE text END AS payload
  FROM seen),
opened AS (
  SELECT *, starts_with(payload, '{{') AS structured, left(payload, {_HEADER_CHARS}) AS opening,
         CASE WHEN wrapper_time IS NULL THEN outside
              WHEN starts_with(payload, '{{') AND json_valid(payload)
              THEN {fields_sql("payload")} END AS fields
  FROM unwrapped)"""


def _timing(zone: tzinfo) -> str:
    """Each line's written time: the wrapper's, a structured field's, the text's own."""
    own = f"left(opening, {_STAMP_CHARS})"
    return f"""
marked AS (
  SELECT *, NOT structured AND regexp_matches(opening, {sql_text(_CONTINUES)}) AS continues
  FROM opened),
spelled AS (
  SELECT *, CASE WHEN NOT structured AND NOT continues THEN {spelling_sql(own)} END AS own_spelling
  FROM marked),
written AS (
  SELECT *, {parts_sql(own, "own_spelling")} AS own,
         CASE WHEN wrapper_time IS NOT NULL THEN wrapper_time
              WHEN structured THEN coalesce(fields.time, {loose_value_sql("payload", "time")})
              WHEN own_spelling IS NULL AND NOT continues AND contains(opening, '=')
              THEN nullif({logfmt_time_sql("opening")}, '') END AS written_time
  FROM spelled),
written_spelled AS (
  SELECT *, CASE WHEN written_time IS NOT NULL THEN {spelling_sql("written_time")} END
              AS written_spelling FROM written),
stamped AS (
  SELECT *, CASE WHEN written_time IS NULL THEN own
                 ELSE {parts_sql("written_time", "written_spelling")} END AS stamp
  FROM written_spelled),
local AS (
  SELECT *, {naive_time_sql("stamp")} AS local_time, {has_year_sql("stamp")} AS has_year,
         trim(coalesce(stamp.z, '')) AS zone
  FROM stamped),
timed AS (
  SELECT *, CASE WHEN stamp.epoch <> '' THEN {epoch_sql("stamp.epoch")}
                 WHEN has_year THEN {written_zone_to_utc_sql("local_time", "zone", zone)}
            END AS instant
  FROM local)"""


def _saying() -> str:
    """Each line's message, the program it names, and the level and service it states."""
    program = ("program", "with_pid", "message")
    logged = sql_text(_SYSLOG), sql_text(_SYSLOG_AFTER_ISO)
    return f"""
said AS (
  SELECT *, CASE WHEN structured THEN coalesce(left(fields.message, {_HEADER_CHARS}), opening)
                 WHEN own_spelling IS NULL THEN opening
                 ELSE concat(own.before, substr(opening, length(own."all") + 1)) END AS said
  FROM timed),
named AS (
  SELECT *, CASE WHEN own.priority IS NOT NULL
                 THEN regexp_extract(said, {logged[0]}, {list(program)!r})
                 WHEN own.z IS NOT NULL AND contains(said, ']: ')
                 THEN regexp_extract(said, {logged[1]}, {list(program)!r}) END AS syslog
  FROM said),
worded AS (
  SELECT *, coalesce(nullif(syslog.message, ''), said) AS message,
         CASE WHEN structured THEN coalesce(fields.level, {loose_value_sql("payload", "level")})
              ELSE coalesce(nullif(own.mark, ''), {severity_sql("own.priority")})
         END AS stated_level,
         CASE WHEN structured THEN coalesce(fields.service, {loose_value_sql("payload", "service")})
              WHEN syslog.message <> '' THEN concat(syslog.program, syslog.with_pid)
              WHEN contains(opening, '=')
              THEN nullif(regexp_extract(opening, {sql_text(_LOGFMT_SERVICE)}, 1), '')
         END AS found_service
  FROM named)"""


def _judging() -> str:
    """Each line's level: stated, or found where loggers write one."""
    return f"""
first_worded AS (
  SELECT *, CASE WHEN stated_level IS NULL THEN nullif({first_word_sql("message")}, '')
                 ELSE stated_level END AS first_word
  FROM worded),
leveled AS (
  SELECT *, CASE WHEN first_word IS NULL THEN nullif({nearby_word_sql("message")}, '')
                 ELSE first_word END AS level_word,
         CASE WHEN structured THEN fields.error
              WHEN contains(message, '=') THEN {error_key_sql("message")} END AS error_value
  FROM first_worded),
judged AS (
  SELECT l.*, CASE WHEN level_word IS NOT NULL THEN level_words.level
                   WHEN {says_error_sql("error_value")} THEN {Level.ERROR.value} END AS found_level
  FROM leveled l LEFT JOIN level_words ON level_words.word = upper(level_word))"""


def _stating() -> str:
    """Each line's facts as they are stored, should it turn out to be a header.

    Apart from grouping, which sorts: what it carries along is narrow.
    """
    return f"""
stating AS (
  SELECT file_id, line_no, text, folded, continues, structured,
         structured AND fields IS NULL AS broken,
         own_spelling IS NOT NULL OR structured OR written_time IS NOT NULL AND NOT continues
           AS anchor,
         regexp_matches(opening, {sql_text(OPENS_WITH_LEVEL)}) AS level_first,
         CASE WHEN instant BETWEEN TIMESTAMP '1900-01-01' AND TIMESTAMP '2199-12-31'
              THEN instant END AS instant,
         CASE WHEN NOT has_year AND stamp.epoch IS NULL THEN local_time END AS yearless,
         found_level AS level,
         CASE WHEN length(found_service) <= {_SERVICE_CHARS}
                   AND left(found_service, 1) NOT IN ('{{', '[', '') THEN found_service
         END AS service,
         {template_sql("message")} AS template
  FROM judged)"""


def _grouping() -> str:
    """Lines to events."""
    return """
stored AS (
  SELECT file_id, max(head_no) AS stored_head,
         arg_max(structured, line_no) FILTER (head) AS stored_structured
  FROM fresh WHERE file_id IN (SELECT file_id FROM pieces WHERE first_line > 1) GROUP BY file_id),
above AS (
  SELECT *, max(CASE WHEN anchor THEN line_no * 2 + structured::INT END) OVER (
              upward ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS anchor_above,
         row_number() OVER upward = 1 AS first
  FROM stating LEFT JOIN stored USING (file_id)
  WINDOW upward AS (PARTITION BY file_id ORDER BY line_no)),
headed AS (
  SELECT *, CASE WHEN first AND stored_head IS NULL THEN TRUE
                 WHEN continues THEN FALSE
                 WHEN anchor OR level_first THEN TRUE
                 ELSE coalesce(anchor_above % 2 = 1, stored_structured, TRUE) END AS head
  FROM above)"""


_STORED = """
SELECT file_id, line_no,
       coalesce(max(CASE WHEN head THEN line_no END) OVER (
         PARTITION BY file_id ORDER BY line_no ROWS UNBOUNDED PRECEDING), stored_head),
       head, head AND structured, head AND broken,
       CASE WHEN head THEN instant END, CASE WHEN head THEN yearless END,
       CASE WHEN head THEN level END, CASE WHEN head THEN service END,
       CASE WHEN head THEN template END, text, folded
FROM headed ORDER BY file_id, line_no"""
