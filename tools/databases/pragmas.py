"""What SQLite may be asked of its schema."""

READ_PRAGMAS = frozenset(
    {"table_info", "table_xinfo", "table_list", "index_list", "index_info", "foreign_key_list"}
)
"""SQLite pragmas that describe the schema; none changes a setting."""
