"""Shows the progress of a migration to whoever is waiting, since a large database may take
minutes."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress

import structlog

log = structlog.get_logger()

FIRST_AFTER = 2.0
"""Seconds before the first line is logged: most migrations are done by then."""
LINE_INTERVAL = 10.0

Show = Callable[[str, int, int | None], None]
"""A callback: receives what is being done, how many revisions are done, and the total if known."""


class MigrationProgress:
    """What is being done now, and how many of the revisions have been run."""

    def __init__(self, show: Show | None = None) -> None:
        self._show = show
        self._began = time.monotonic()
        self._next: list[str] = []
        self._what = "connecting"
        self.done = 0
        self.total: int | None = None

    def say(self, what: str) -> None:
        """Report what is being done now."""
        self._what = what
        if self._show is not None:
            self._show(what, self.done, self.total)

    def begin(self, titles: Sequence[str]) -> None:
        """Start running the missing revisions, which have these titles."""
        self._next = list(titles)
        if self._next:
            self.say(self._next.pop(0))

    def finish_one(self) -> None:
        """Go on to the next revision."""
        self.done += 1
        self.say(self._next.pop(0) if self._next else "finishing")

    @property
    def seconds(self) -> float:
        return round(time.monotonic() - self._began, 1)

    @asynccontextmanager
    async def told(self) -> AsyncIterator[None]:
        """Log the progress now and then while the block runs, unless it is shown to somebody."""
        if self._show is not None:
            yield
            return
        telling = asyncio.create_task(self._tell())
        try:
            yield
        finally:
            telling.cancel()
            with suppress(asyncio.CancelledError):
                await telling

    async def _tell(self) -> None:
        await asyncio.sleep(FIRST_AFTER)
        while True:
            log.info(
                "the database is being migrated",
                now=self._what,
                done=self.done,
                of=self.total,
                seconds=self.seconds,
            )
            await asyncio.sleep(LINE_INTERVAL)
