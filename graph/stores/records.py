"""The canonical store that the settings name (C5.2)."""

from graph.settings import Settings, SettingsError
from graph.stores.address import host_of
from graph.stores.folder import data_dir, private_dir
from graph.stores.retention import KEPT_UNTIL_PRUNED
from tools.invocations import KeptStore

RECORDS_FILE = "invocations.sqlite"
_DAY_SECONDS = 24 * 3600


def make_store(settings: Settings) -> KeptStore:
    """The Redis that `stores.records` names, else the SQLite file; nothing is opened yet.

    Raises `SettingsError`.
    """
    chosen = settings.stores.records
    if chosen.url is None:
        from tools.invocations.sqlite import SqliteInvocationStore

        return SqliteInvocationStore(private_dir(settings) / RECORDS_FILE)
    from tools.invocations.redis import RedisInvocationStore

    try:
        return RedisInvocationStore(
            chosen.url.get_secret_value(), ttl_seconds=chosen.ttl_seconds, cluster=chosen.cluster
        )
    except ValueError as refused:
        raise SettingsError(f"stores.records.url: {refused}") from None


def records_place(settings: Settings) -> str:
    """Kind and place, without credentials."""
    chosen = settings.stores.records
    if chosen.url is None:
        return f"SQLite in {data_dir(settings)}"
    return f"{'Redis Cluster' if chosen.cluster else 'Redis'} at {host_of(chosen.url)}"


def records_kept(settings: Settings) -> str:
    """How long a record is kept."""
    chosen = settings.stores.records
    if chosen.url is None:
        return KEPT_UNTIL_PRUNED
    return f"a record expires after {chosen.ttl_seconds / _DAY_SECONDS:g} days"
