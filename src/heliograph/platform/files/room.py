"""Whether a disk has room for what is going to be written."""

import shutil
from pathlib import Path

from heliograph.errors import ConfigurationError


class NoRoomError(ConfigurationError):
    """The disk is too small."""


def check_room(folder: Path, needed: int, what: str) -> None:
    """Check that this many bytes are free for `what`. Raises `NoRoomError`, and `OSError` where
    there is no such folder."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise NoRoomError(
            f"{folder} has {free // 2**20:,} MiB left, and {what} may take "
            f"{needed // 2**20:,} MiB.",
            remedy="Make room, or choose another disk.",
        )
