"""The data folder: where it lies, and that only its owner can read it."""

import os
from pathlib import Path

from graph.settings import Settings, SettingsError


def data_dir(settings: Settings) -> Path:
    """Where sessions and records lie: the configured folder, or the user's data folder (XDG)."""
    if settings.data_dir is not None:
        return settings.data_dir.expanduser()
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "incident-diagnosis-agent"


def private_dir(settings: Settings) -> Path:
    """The data folder, made readable by its owner only; one that exists keeps its permissions.

    Raises `SettingsError` when it cannot be made or written.
    """
    folder = data_dir(settings)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        writable = os.access(folder, os.W_OK | os.X_OK)
    except OSError:
        writable = False
    if not writable:
        raise SettingsError(f"data_dir: {folder} is not a folder that can be written")
    return folder


def private_file(path: Path) -> Path:
    """The file, made readable by its owner only where it is new."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    return path
