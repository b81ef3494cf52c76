"""The pace of loops that query all shards."""

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from heliograph.platform.database.pool import Database

RESTS = 50
"""The pause before the next query, as a multiple of the last one's duration: queries take at most 2
% of a loop's time."""
MAX_INTERVAL = 10.0
"""Seconds: shorter than a lease, so that a dead node is noticed soon."""


class Pace:
    """`rest` is the pause in seconds before the next query, normally `usual`. On a distributed
    database, each shard is queried separately, and slow queries run less often."""

    def __init__(self, database: Database, usual: float) -> None:
        self.rest = usual
        self._usual = usual
        self._is_adapted = database.is_distributed

    @contextmanager
    def look(self) -> Iterator[None]:
        """Time one query."""
        began = time.monotonic()
        try:
            yield
        finally:
            if self._is_adapted:
                rest = min(RESTS * (time.monotonic() - began), MAX_INTERVAL)
                self.rest = max(rest, self._usual)

    async def timed(self, look: Callable[[], Awaitable[object]]) -> None:
        """Run a query and time it."""
        with self.look():
            await look()
