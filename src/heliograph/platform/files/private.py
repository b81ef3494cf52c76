"""Files of this program's own, in folders that may belong to somebody else."""

import errno
import os
from pathlib import Path

from heliograph.errors import ConfigurationError


class DataDirError(ConfigurationError):
    """The data directory can't be made, written or locked."""


def open_own(path: Path, flags: int) -> int:
    """Open a private file of ours and return its descriptor. Raises `DataDirError` for a symbolic
    link.

    The folder may belong to the user that runs the private PostgreSQL, who must not lead root to
    files of others.
    """
    try:
        return os.open(path, flags | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise DataDirError(
            f"{path} is a symbolic link.", remedy="Remove it; a file is made in its place."
        ) from None


def is_private(descriptor: int) -> bool:
    """Return whether an open file is ours, has one name, and can't be opened by anybody else. In a
    shared folder, a file of that name may have been put there by another user."""
    status = os.fstat(descriptor)
    return status.st_uid == os.geteuid() and status.st_nlink == 1 and not status.st_mode & 0o077


def write_private(path: Path, text: str) -> None:
    """Replace a file's content in one step; mode 0600, owned by the owner of its folder."""
    folder = path.parent.stat()
    new = path.with_name(f".{path.name}.{os.getpid()}")
    new.unlink(missing_ok=True)
    descriptor = open_own(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
        if os.geteuid() == 0:
            os.fchown(file.fileno(), folder.st_uid, folder.st_gid)
    new.replace(path)


def release_lock(descriptor: int) -> None:
    """Unlock a file, and write into it that nobody holds it."""
    os.ftruncate(descriptor, 0)
    os.close(descriptor)
