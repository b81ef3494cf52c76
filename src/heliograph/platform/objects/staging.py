"""Files that are still arriving: written to disk until they are whole.

The process that writes a file holds a lock on it, which the system releases when it ends. So a file
that nobody has locked was left by a killed process, and anybody may delete it.
"""

import asyncio
import contextlib
import fcntl
import hashlib
import os
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

PREFIX = "staged-"
JUST_MADE = 60.0
"""Seconds in which a file may not have been locked yet by its maker."""

_TRIES = 10
"""Attempts to put a file into a folder that may be removed at that moment, since it is empty."""


class ObjectStorageError(Exception):
    """The storage refused or failed; carries the first line of what it said."""


class StagedFile:
    """A file that is being written; `size` and `sha256` are of what was written so far."""

    def __init__(self, descriptor: int, path: Path) -> None:
        self.path = path
        self.size = 0
        self._descriptor = descriptor
        self._digest = hashlib.sha256()

    @property
    def sha256(self) -> bytes:
        return self._digest.digest()

    async def write(self, data: bytes) -> None:
        """Append. Raises `ObjectStorageError`."""
        try:
            await asyncio.to_thread(self._write, data)
        except OSError as error:
            raise ObjectStorageError(str(error)) from error

    def _write(self, data: bytes) -> None:
        self._digest.update(data)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]
        self.size += len(data)

    async def move_to(self, target: Path) -> None:
        """Make it the file `target`, on disk, in one step. Raises `OSError`."""
        await asyncio.to_thread(self._move_to, target)

    def _move_to(self, target: Path) -> None:
        os.fsync(self._descriptor)
        self._replace(target)
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _replace(self, target: Path) -> None:
        for last in (*[False] * _TRIES, True):
            try:
                target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                self.path.replace(target)
            except (FileNotFoundError, FileExistsError):  # with its last file, a folder goes, too
                if last:
                    raise
            else:
                return

    def close(self) -> None:
        """Delete it, unless it was moved."""
        self.path.unlink(missing_ok=True)
        os.close(self._descriptor)


class Staging:
    """A folder for files that are still arriving."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[StagedFile]:
        """Make a file, which is deleted at the end of the block unless it was moved. Raises
        `OSError`."""
        staged = await asyncio.to_thread(self._make)
        try:
            yield staged
        finally:
            await asyncio.to_thread(staged.close)

    def _make(self) -> StagedFile:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, name = tempfile.mkstemp(prefix=PREFIX, dir=self._folder)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return StagedFile(descriptor, Path(name))

    async def sweep(self, older_than: float = JUST_MADE) -> int:
        """Delete the files of killed processes; return how many."""
        return await asyncio.to_thread(self._sweep, time.time() - older_than)

    def _sweep(self, before: float) -> int:
        return sum(_delete_if_abandoned(path) for path in self._list_older(before))

    def _list_older(self, before: float) -> Iterator[Path]:
        if not self._folder.is_dir():
            return
        for path in self._folder.glob(f"{PREFIX}*"):
            with contextlib.suppress(FileNotFoundError):
                if path.stat().st_mtime <= before:
                    yield path


def _delete_if_abandoned(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink(missing_ok=True)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True
