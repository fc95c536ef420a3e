"""The database that an address names, whichever engine it is; nothing is connected by that."""

from tools.databases.database import Database
from tools.databases.urls import names_a_file, server_url


def open_database(url: str) -> Database:
    """Raises ValueError, which does not repeat the URL."""
    if names_a_file(url):
        from sqlalchemy import make_url

        from tools.databases.sqlite import SqliteDatabase

        return SqliteDatabase(make_url(url).database or "")
    server = server_url(url)
    if server.backend == "mysql":
        from tools.databases.mysql import MySqlDatabase

        return MySqlDatabase(server)
    from tools.databases.postgresql import PostgresDatabase

    return PostgresDatabase(server)
