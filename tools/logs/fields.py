"""Where structured lines keep their facts: the JSON keys and wrappers the log index knows.

Keys are looked up by exact name in the parsed object, the first listed key winning and, within a
key that occurs twice, its first value. A fact found under none of them is looked for once more in
the raw text, in any spelling of the case and at any depth, which also serves lines that are not
quite JSON.
"""

from tools.logs.stamps import sql_text

_KEYS: dict[str, tuple[str, ...]] = {
    "log": ("log",),
    "stream": ("stream",),
    "time": (
        "timestamp", "@timestamp", "time", "ts", "datetime", "date", "eventTime", "asctime", "t",
    ),
    "level": (
        "level", "severity", "lvl", "levelname", "loglevel", "log_level", "logLevel", "log.level",
        "severity_text", "severityText", "log/level",
    ),
    "service": (
        "service/name", "service.name", "service", "service_name", "serviceName", "app/name", "app",
        "application", "app_name", "appName", "container_name", "kubernetes/labels/app",
        "kubernetes/container_name",
    ),
    "message": ("message", "msg", "@message", "event", "text", "body"),
    "error": ("error", "err", "exception"),
}  # fmt: skip
"""JSON keys of each fact, best first; `/` steps into an object."""

_LOOSE = {
    "time": r"@?timestamp|time|ts|datetime",
    "level": r"level|severity|lvl|loglevel|levelname",
    "service": r"service|app|service_?name",
}


def fields_sql(text: str) -> str:
    """A STRUCT of the facts of a JSON object in an SQL text expression; NULL when it is none."""
    paths = [key for keys in _KEYS.values() for key in keys]
    found = f"json_extract_string({text}, [{', '.join(sql_text(_path(key)) for key in paths)}])"
    members, first = [], 1
    for fact, keys in _KEYS.items():
        last = first + len(keys) - 1
        members.append(f"'{fact}': list_filter(found[{first}:{last}], lambda v: v IS NOT NULL)[1]")
        first = last + 1
    return f"list_transform([{found}], lambda found: {{{', '.join(members)}}})[1]"


def loose_value_sql(text: str, fact: str) -> str:
    """The value of a fact's key anywhere in raw text, in any case, or NULL."""
    pattern = rf'(?i)"(?:{_LOOSE[fact]})"\s*:\s*(?:"([^"]*)"|(\d[\d.]*))'
    found = f"regexp_extract({text}, {sql_text(pattern)}, ['quoted', 'bare'])"
    return f"nullif(concat({found}.quoted, {found}.bare), '')"


def _path(key: str) -> str:
    return "$." + ".".join(f'"{step}"' for step in key.split("/"))
