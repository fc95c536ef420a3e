"""The tables of a database and their columns, as far as a description has room for them."""

from sqlalchemy import Connection, inspect
from sqlalchemy.exc import DBAPIError, NoSuchTableError

_MAX_TABLES_READ = 200


def table_listing(connection: Connection, max_chars: int) -> str:
    """`orders(order_id, status), …`, names quoted where needed; then bare names; then a count."""
    inspector = inspect(connection)
    quote = connection.dialect.identifier_preparer.quote
    names = [*inspector.get_table_names(), *inspector.get_view_names()]
    if not names:
        return "no tables"
    listing = ""
    for position, name in enumerate(names[:_MAX_TABLES_READ]):
        entry = f"{quote(name)}({', '.join(map(quote, _columns(connection, name)))})"
        if len(listing) + len(entry) > max_chars:
            return listing + _rest([quote(other) for other in names[position:]], max_chars // 4)
        listing += (", " if listing else "") + entry
    return listing + _rest([quote(other) for other in names[_MAX_TABLES_READ:]], max_chars // 4)


def _columns(connection: Connection, table: str) -> list[str]:
    try:
        return [column["name"] for column in inspect(connection).get_columns(table)]
    except (DBAPIError, NoSuchTableError):
        # a view whose table is gone has a name but no columns
        return []


def _rest(names: list[str], max_chars: int) -> str:
    shown: list[str] = []
    for name in names:
        if sum(map(len, shown)) + 2 * len(shown) + len(name) > max_chars:
            break
        shown.append(name)
    left = len(names) - len(shown)
    more = [f"{left} more tables"] if left else []
    return "; also " + ", ".join([*shown, *more]) if names else ""
