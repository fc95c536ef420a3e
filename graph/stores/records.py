"""The canonical store that the settings name (C5.2)."""

from graph.settings import Settings, SettingsError
from graph.stores.address import host_of
from graph.stores.folder import data_dir, private_dir
from tools.invocations import InvocationStore

RECORDS_FILE = "invocations.sqlite"
_DAY_SECONDS = 24 * 3600


def make_store(settings: Settings) -> InvocationStore:
    """The Redis that `stores.records` names, else the SQLite file; nothing is opened yet.

    Raises `SettingsError`.
    """
    chosen = settings.stores.records
    if chosen.url is None:
        from tools.sqlite_invocations import SqliteInvocationStore

        return SqliteInvocationStore(private_dir(settings) / RECORDS_FILE)
    from tools.redis_invocations import RedisInvocationStore

    try:
        return RedisInvocationStore(
            chosen.url.get_secret_value(), ttl_seconds=chosen.ttl_seconds, cluster=chosen.cluster
        )
    except ValueError as refused:
        raise SettingsError(f"stores.records.url: {refused}") from None


def records_place(settings: Settings) -> str:
    """Kind and place, without credentials; for Redis also how long a record is kept."""
    chosen = settings.stores.records
    if chosen.url is None:
        return f"SQLite in {data_dir(settings)}"
    kind = "Redis Cluster" if chosen.cluster else "Redis"
    days = chosen.ttl_seconds / _DAY_SECONDS
    return f"{kind} at {host_of(chosen.url)}; a record expires after {days:g} days"
