"""Logs: a folder of log files or a SQL log table, searched by service, window, level and keyword.

- `tool`: the evidence tool of a folder; `table_tool`: of a table; `answer`: one question from start
  to end, made from what is `indexed`
- `request`: input schema, canonical scope, window; `services`: what a service name means
- `search`: filters in SQL and totals; `choice`: which matches are shown, `context`: what beside
  them
- `fitting`: events within a byte limit; `summary`: the overview of many matches by their `kinds`
- `overview`, `coverage`: what the model is told there is
- `folder`: which files there are; `reader`: bytes to clean text
- `events`: text to events in one SQL statement, with `stamps`, `zones`, `levels` and `fields`
- `index`: kept level with the files, on disk as `segments` that a `builder` makes; `readiness`,
  `sighting`: a first question without waiting for them; `database`: closed off from all else
- `table`, `table_connection`, `table_reader`, `table_rows`: the rows of a table as an index
"""

from tools.logs.limits import IndexLimits
from tools.logs.request import LogsQuery
from tools.logs.table import LogColumns
from tools.logs.table_tool import LogTableTool
from tools.logs.tool import LogsTool

__all__ = ["IndexLimits", "LogColumns", "LogTableTool", "LogsQuery", "LogsTool"]
