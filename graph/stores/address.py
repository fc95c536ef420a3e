"""What of a store's URL may be shown: its host, never who logs in."""

from urllib.parse import urlsplit

from pydantic import SecretStr


def host_of(url: SecretStr) -> str:
    """The host name; `a local socket` where the URL names none."""
    try:
        host = urlsplit(url.get_secret_value()).hostname
    except ValueError:
        host = None
    return host or "a local socket"
