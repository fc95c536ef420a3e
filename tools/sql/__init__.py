"""`query_mysql`: a database as an evidence source, read-only by rule and by connection.

`tool` is the source itself; `statement` parses and writes the canonical form, `rules`, `allowed`
and `describing` say what may run, `dialects` how it is read; `rows` and `catalogue` turn rows into
evidence and the schema into a description. `tools.databases` opens the database.
"""

from tools.sql.tool import SqlInput, SqlTool

__all__ = ["SqlInput", "SqlTool"]
