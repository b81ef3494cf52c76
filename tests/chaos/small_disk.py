"""A file system so small that a test can fill it."""

import contextlib
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from missing import skip_or_fail

SHARED_MEMORY = Path("/dev/shm")
_SMALL = 1 << 29  # bytes; a container's own shared memory is 64 MiB unless it asks for more
_CHUNK = bytes(1 << 16)


class SmallDisk:
    """`path` is a folder on it that every user can pass through."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._filler = path / "filler"
        self._has_room = threading.Event()
        self._keeper = threading.Thread(target=self._keep_full, daemon=True)

    def fill(self) -> None:
        """Leave not a byte of room from now on: what others free is taken, too, such as the caches
        of its catalog that PostgreSQL deletes now and then."""
        self._take_all()
        self._keeper.start()

    def _keep_full(self) -> None:
        while not self._has_room.wait(0.02):
            self._take_all()

    def _take_all(self) -> None:
        with contextlib.suppress(OSError), self._filler.open("ab", buffering=0) as stream:
            while True:
                stream.write(_CHUNK)

    def make_room(self) -> None:
        """End the filling, and give back what it took."""
        self._has_room.set()
        if self._keeper.is_alive():
            self._keeper.join()
        self._filler.unlink(missing_ok=True)


@contextlib.contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[SmallDisk]:
    """One of its own where this process may mount, else a container's small shared memory; where
    there is neither, the test is skipped, and in CI fails."""
    path = folder / "disk"
    path.mkdir()
    options = f"size={megabytes}m,mode=755"
    mount = ("mount", "-t", "tmpfs", "-o", options, "heliograph-test", str(path))
    if subprocess.run(mount, check=False, capture_output=True).returncode == 0:
        disk = SmallDisk(path)
        try:
            yield disk
        finally:
            disk.make_room()
            subprocess.run(("umount", "--lazy", str(path)), check=True)
    else:
        with _in_shared_memory(megabytes) as found:
            yield found


@contextlib.contextmanager
def _in_shared_memory(megabytes: int) -> Iterator[SmallDisk]:
    room = os.statvfs(SHARED_MEMORY) if SHARED_MEMORY.is_dir() else None
    total = room.f_frsize * room.f_blocks if room else 0
    if room is None or not megabytes << 20 <= room.f_frsize * room.f_bavail <= total <= _SMALL:
        skip_or_fail(f"needs root's right to mount, or {SHARED_MEMORY} of {megabytes} to 512 MiB")
    path = Path(tempfile.mkdtemp(dir=SHARED_MEMORY))
    path.chmod(0o755)
    disk = SmallDisk(path)
    try:
        yield disk
    finally:
        disk.make_room()
        shutil.rmtree(path)
