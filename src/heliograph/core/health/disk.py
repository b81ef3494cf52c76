"""The check of the disks: that of the data directory, and what the database reports of its own."""

import shutil
from collections.abc import Callable
from pathlib import Path

from heliograph.core.health.model import Check, failed, ok, warning
from heliograph.platform.database.failures import FREE_SOME

NAME = "disk"
MIN_FREE_BYTES = 1024**3
"""Bytes that should be free."""


def check_disk(folder: Path, complaint: str | None = None, *, is_running: bool) -> Check:
    """Check the disk of a folder, and a database's complaint about its own disk.

    A full disk does not make a node that `is_running` unready: reads still work, and no other node
    would do better.
    """
    say: Callable[[str, str, str], Check] = warning if is_running else failed
    if complaint is not None:
        return say(NAME, f"The database's disk is full: {complaint}.", FREE_SOME)
    free = read_free(folder)
    detail = f"{free / 1024**3:.1f} GiB are free on the disk of {folder}."
    return ok(NAME, detail) if free >= MIN_FREE_BYTES else say(NAME, detail, FREE_SOME)


def read_free(folder: Path) -> int:
    """Return the bytes that are free for the gateway where this folder is, or will be."""
    return shutil.disk_usage(find_existing(folder)).free


def find_existing(folder: Path) -> Path:
    """Return the folder, or the one in which it would be made."""
    return next(path for path in (folder, *folder.parents) if path.exists())
