"""Time limits that are hardly ever reached, at a fraction of what `asyncio.timeout` takes."""

import asyncio
import time
from types import TracebackType

LOOK_INTERVAL = 1.0


class Watchdog:
    """Ends blocks that take too long, up to `look_interval` seconds late.

    `asyncio.timeout` sets a timer for each block and takes it back. Here one timer serves all: it
    looks at every block under way, and rests while there is none. Serves one event loop.
    """

    def __init__(self, look_interval: float = LOOK_INTERVAL) -> None:
        self._look_interval = look_interval
        self._watched: set[WatchedTimeout] = set()
        self._is_looking = False
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The running loop, kept: to ask for it is a system call in Python 3.11."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
        return self._loop

    def limit(self, seconds: float) -> "WatchedTimeout":
        """Return a context that ends its block with `TimeoutError` after this many seconds."""
        return WatchedTimeout(self, time.monotonic() + seconds)

    def add(self, limit: "WatchedTimeout") -> None:
        self._watched.add(limit)
        if not self._is_looking:
            self._look_later()

    def remove(self, limit: "WatchedTimeout") -> None:
        self._watched.discard(limit)

    def _look_later(self) -> None:
        self._is_looking = bool(self._watched)
        if self._is_looking:
            self.loop.call_later(self._look_interval, self._look)

    def _look(self) -> None:
        now = time.monotonic()
        for limit in [limit for limit in self._watched if limit.is_over(now)]:
            self._watched.remove(limit)
            limit.expire()
        self._look_later()


class WatchedTimeout:
    """What `asyncio.Timeout` is, with the watchdog for its timer; times are monotonic."""

    __slots__ = ("_cancelling", "_ends_at", "_has_expired", "_task", "_watchdog")

    def __init__(self, watchdog: Watchdog, ends_at: float) -> None:
        self._watchdog = watchdog
        self._ends_at: float | None = ends_at
        self._has_expired = False

    def when(self) -> float | None:
        return self._ends_at

    def reschedule(self, ends_at: float | None) -> None:
        """Let the block go on until then; None for as long as it takes."""
        self._ends_at = ends_at

    def is_over(self, now: float) -> bool:
        return self._ends_at is not None and self._ends_at <= now

    def expire(self) -> None:
        self._has_expired = True
        self._task.cancel()

    async def __aenter__(self) -> None:
        task = asyncio.current_task(self._watchdog.loop)
        if task is None:
            raise RuntimeError("a limit is for a task")
        self._task, self._cancelling = task, task.cancelling()
        self._watchdog.add(self)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._watchdog.remove(self)
        if not self._has_expired:
            return
        # a task that somebody else canceled as well stays canceled
        if self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise TimeoutError from error
