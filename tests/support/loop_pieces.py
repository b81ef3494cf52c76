"""How long an event loop is held in one piece, in processor time of its thread.

Processor time, because a machine that is busy with something else lets the loop wait for that.
"""

import asyncio
import time
from asyncio import events
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Pieces:
    """Seconds of the longest piece since the last look, and what it was."""

    longest: float = 0.0
    what: str = ""

    def take(self) -> tuple[float, str]:
        found = self.longest, self.what
        self.longest, self.what = 0.0, ""
        return found


@contextmanager
def measured_pieces(loop: asyncio.AbstractEventLoop) -> Iterator[Pieces]:
    """Measure what asyncio's own loop runs, one callback or step of a task after the other."""
    pieces, run = Pieces(), events.Handle._run

    def measured(handle: events.Handle) -> None:
        if handle._loop is not loop:  # type: ignore[attr-defined]  # a private name
            run(handle)
            return
        began = time.thread_time()
        run(handle)
        seconds = time.thread_time() - began
        if seconds > pieces.longest:
            pieces.longest, pieces.what = seconds, repr(handle)

    events.Handle._run = measured  # type: ignore[method-assign,assignment]  # as it is called
    try:
        yield pieces
    finally:
        events.Handle._run = run  # type: ignore[method-assign]  # as it was
