"""Logs: a folder of log files, searched by service, window, level and keyword.

- `tool`: the evidence tool and its failures; `answer`: one question from start to end
- `request`: input schema, canonical scope, window; `services`: what a service name means
- `search`: filters in SQL and totals; `choice`: which matches are shown
- `fitting`: events within a byte limit; `summary`: the overview of many matches
- `overview`: what the model is told there is
- `folder`: which files there are; `reader`: bytes to clean text
- `events`: text to events in one SQL statement, with `stamps`, `zones`, `levels` and `fields`
- `index`: kept level with the files; `database`: closed off from everything else
"""

from tools.logs.limits import IndexLimits
from tools.logs.request import LogsQuery
from tools.logs.tool import LogsTool

__all__ = ["IndexLimits", "LogsQuery", "LogsTool"]
