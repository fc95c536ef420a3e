"""What a read-only statement may be made of; whatever is not listed here is refused.

Three closed lists: kinds of syntax node, functions by the name the engine knows, and system tables.
Locks, `INTO`, assignments, parameters, hints, data changes and commands are refused by being absent
from the nodes; functions that sleep, lock, read files or write them by being absent from the names.
"""

from sqlglot import exp

NODES: frozenset[type[exp.Expr]] = frozenset(
    {
        # the statement and its clauses
        *(exp.Select, exp.Union, exp.Intersect, exp.Except, exp.Subquery, exp.With, exp.CTE),
        *(exp.From, exp.Join, exp.Table, exp.TableAlias, exp.Values, exp.Where, exp.Group),
        *(exp.Having, exp.Order, exp.Ordered, exp.Limit, exp.Offset, exp.Distinct),
        *(exp.Window, exp.WindowSpec, exp.Filter, exp.IgnoreNulls, exp.RespectNulls),
        # names and values
        *(exp.Alias, exp.Column, exp.Identifier, exp.Star, exp.Literal, exp.Null, exp.Boolean),
        *(exp.HexString, exp.Interval, exp.Var, exp.DataType, exp.DataTypeParam, exp.CharacterSet),
        *(exp.Tuple, exp.Paren),
        # operators
        *(exp.And, exp.Or, exp.Xor, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE),
        *(exp.Is, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Between, exp.In, exp.Exists, exp.Any),
        *(
            exp.All,
            exp.Like,
            exp.ILike,
            exp.Glob,
            exp.Match,
            exp.SimilarTo,
            exp.Escape,
            exp.Collate,
        ),
        *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.DPipe, exp.Collate),
        *(exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot),
        *(exp.BitwiseLeftShift, exp.BitwiseRightShift),
        *(exp.JSONExtract, exp.JSONExtractScalar, exp.JSONBExtract, exp.JSONBExtractScalar),
        # calls with a grammar of their own; the plain ones are Anonymous and go by their name
        *(exp.Anonymous, exp.Case, exp.If, exp.Cast, exp.Extract, exp.Trim, exp.Substring),
        *(exp.StrPosition, exp.GroupConcat, exp.Concat, exp.AtTimeZone),
        *(exp.CurrentDate, exp.CurrentTime, exp.CurrentTimestamp),
    }
)

NODES_BY_BACKEND: dict[str, frozenset[type[exp.Expr]]] = {
    # not SQLite: its REGEXP is a Python function, which no time limit can interrupt
    "sqlite": NODES,
    "mysql": NODES | {exp.RegexpLike},
    "postgresql": NODES | {exp.RegexpLike, exp.RegexpILike},
}

_SHARED = (
    "abs avg ceil ceiling char_length coalesce concat concat_ws count cume_dist dense_rank exp"
    " first_value floor greatest lag last_value lead least left length ln log lower lpad ltrim max"
    " min mod nth_value ntile nullif percent_rank power rank replace reverse right round row_number"
    " rpad rtrim sign sqrt substr substring sum trim upper"
)
_SQLITE = (
    "char date datetime format glob group_concat hex ifnull iif instr json json_array"
    " json_array_length json_each json_extract json_group_array json_group_object json_object"
    " json_quote json_tree json_type json_valid julianday like log10 log2 octet_length pow printf"
    " quote string_agg strftime time timediff total trunc typeof unhex unicode unixepoch"
    " pragma_foreign_key_list pragma_index_info pragma_index_list pragma_table_info"
    " pragma_table_list pragma_table_xinfo"
)
_MYSQL = (
    "addtime ascii bin bit_and bit_count bit_or char convert_tz curdate curtime date date_add"
    " date_format date_sub datediff day dayname dayofmonth dayofweek dayofyear elt field"
    " find_in_set format from_days from_unixtime hex hour if ifnull instr isnull json_arrayagg"
    " json_contains json_contains_path json_extract json_keys json_length json_objectagg"
    " json_search json_type json_unquote json_valid json_value last_day lcase locate log10 log2"
    " makedate maketime microsecond minute month monthname now octet_length period_diff pow"
    " quarter sec_to_time second stddev str_to_date strcmp subdate substring_index subtime time"
    " time_format time_to_sec timediff timestamp timestampadd timestampdiff to_days truncate ucase"
    " unhex unix_timestamp utc_date utc_time utc_timestamp variance week weekday weekofyear year"
    " yearweek"
)
_POSTGRESQL = (
    "age array_agg array_length array_to_string bool_and bool_or btrim cbrt date_part date_trunc"
    " div extract format initcap json_agg json_array_elements json_array_length json_extract_path"
    " json_extract_path_text json_typeof jsonb_agg jsonb_array_elements jsonb_array_length"
    " jsonb_extract_path jsonb_extract_path_text jsonb_typeof justify_interval make_date"
    " make_interval make_timestamp mode now octet_length percentile_cont percentile_disc position"
    " regexp_replace split_part starts_with stddev strpos string_agg to_char to_date to_number"
    " to_timestamp translate trunc unnest variance"
)

FUNCTIONS_BY_BACKEND: dict[str, frozenset[str]] = {
    "sqlite": frozenset((_SHARED + " " + _SQLITE).split()),
    "mysql": frozenset((_SHARED + " " + _MYSQL).split()),
    "postgresql": frozenset((_SHARED + " " + _POSTGRESQL).split()),
}

SQLITE_SYSTEM_TABLES = frozenset({"sqlite_master", "sqlite_schema", "sqlite_sequence"})

SHOWABLE = frozenset({"TABLES", "COLUMNS", "INDEX", "CREATE TABLE", "CREATE VIEW", "TABLE STATUS"})
"""MySQL's SHOW, where it describes the schema: no other session, account or setting."""

INFORMATION_SCHEMA = "information_schema"
INFORMATION_TABLES = frozenset(
    {
        *("tables", "columns", "statistics", "key_column_usage"),
        *("table_constraints", "referential_constraints"),
    }
)
"""The part of the information schema that describes the schema, not accounts or sessions."""
