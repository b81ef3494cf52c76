"""How long the machine let those wait who wanted to go on: of what a test judges by the clock, that
is not the program's."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PAUSE = 0.1  # seconds
_NOTED = 0.1  # seconds; what is less is no stall: on a quiet machine there is none
_TOGETHER = 15.0  # seconds; a lease lasts for so long, and no request for longer
_FELT = 1.0  # seconds; a node that stops takes requests for so long


class Stalls:
    """A thread sleeps for a moment, has a byte written to the disk, and notes how late it was."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "stalls"
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._noted: list[tuple[float, float]] = []

    @contextmanager
    def noted(self) -> Iterator["Stalls"]:
        """Those that are while the block runs."""
        self._thread.start()
        try:
            yield self
        finally:
            self._is_over.set()
            self._thread.join()

    def note(self, at: float, seconds: float) -> None:
        """One that ended at this moment of the monotonic clock."""
        if seconds > _NOTED:
            self._noted.append((at, seconds))

    @property
    def worst(self) -> float:
        """The most seconds lost among a few that follow each other."""
        noted = list(self._noted)
        sums = [
            sum(lost for other, lost in noted if at - _TOGETHER <= other <= at) for at, _ in noted
        ]
        return max(sums, default=0.0)

    @property
    def are_felt(self) -> bool:
        """Whether they can have used up the seconds that a request, or an attempt, has."""
        return self.worst > _FELT

    def _watch(self) -> None:
        with self._file.open("ab", buffering=0) as stream:
            began = time.monotonic()
            while not self._is_over.wait(_PAUSE):
                stream.write(b".")
                os.fsync(stream.fileno())
                ended = time.monotonic()
                self.note(ended, ended - began - _PAUSE)
                began = ended
