"""What processes that share the tests do one after another: the first does it for all."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def only_one(file: Path) -> Iterator[None]:
    """Go on when no other process is in a block of this file."""
    with file.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
