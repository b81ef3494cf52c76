"""How often a loop looks at all shards."""

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from heliograph.platform.database.pool import Database

RESTS = 50
"""For so many times as long as a look took, the next one is waited for: looks take 2 % of a loop's
time at the most."""
MAX_INTERVAL = 10.0
"""Seconds: shorter than a lease, so that whoever dies is missed soon."""


class Pace:
    """`rest` is how many seconds to wait before the next look: as many as are `usual`. Where the
    database is distributed, each shard is asked by itself, and slow looks are made less often."""

    def __init__(self, database: Database, usual: float) -> None:
        self.rest = usual
        self._usual = usual
        self._is_adapted = database.is_distributed

    @contextmanager
    def look(self) -> Iterator[None]:
        """Time one look."""
        began = time.monotonic()
        try:
            yield
        finally:
            if self._is_adapted:
                rest = min(RESTS * (time.monotonic() - began), MAX_INTERVAL)
                self.rest = max(rest, self._usual)

    async def timed(self, look: Callable[[], Awaitable[object]]) -> None:
        """Look, and time it."""
        with self.look():
            await look()
