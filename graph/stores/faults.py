"""What can be wrong with the sessions, as named codes without an address or a driver's text."""


class SessionStoreUnavailable(Exception):
    """The sessions cannot be read or written. The message names the setting that places them."""

    code = "SESSION_STORE_UNAVAILABLE"

    def __init__(self, setting: str) -> None:
        super().__init__(f"{setting}: its session store cannot be read or written ({self.code})")


class SessionBusy(Exception):
    """The session has a run in another process, or elsewhere in this one (C0)."""

    code = "SESSION_BUSY"

    def __init__(self, session_id: str) -> None:
        super().__init__(
            f"--session: {session_id} has a run in another process;"
            f" wait or use another session ({self.code})"
        )
