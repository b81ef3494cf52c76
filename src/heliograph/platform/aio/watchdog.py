"""Time limits that are hardly ever reached, at a fraction of what `asyncio.timeout` takes."""

import asyncio
import time
from types import TracebackType


class Watchdog:
    """Ends blocks that take longer than `seconds`.

    `asyncio.timeout` sets a timer for each block and takes it back. Blocks that may all take the
    same time end in the order in which they began: here one timer, for the oldest, serves all.
    Serves one event loop.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._watched: dict[WatchedTimeout, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The running loop, kept: to ask for it is a system call in Python 3.11."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
        return self._loop

    def limit(self) -> "WatchedTimeout":
        """Return a context that ends its block with `TimeoutError` when its time is up."""
        return WatchedTimeout(self, time.monotonic() + self._seconds)

    def add(self, limit: "WatchedTimeout") -> None:
        self._watched[limit] = None
        if self._timer is None:
            self._look_in(self._seconds)

    def remove(self, limit: "WatchedTimeout") -> None:
        self._watched.pop(limit, None)

    def _look_in(self, seconds: float) -> None:
        self._timer = self.loop.call_later(seconds, self._look)

    def _look(self) -> None:
        self._timer = None
        now = time.monotonic()
        while self._watched:
            oldest = next(iter(self._watched))
            if oldest.ends_at > now:
                self._look_in(oldest.ends_at - now)
                return
            del self._watched[oldest]
            oldest.expire()


class WatchedTimeout:
    """What `asyncio.Timeout` is, with the watchdog for its timer; `ends_at` is monotonic."""

    __slots__ = ("_cancelling", "_has_expired", "_task", "_watchdog", "ends_at")

    def __init__(self, watchdog: Watchdog, ends_at: float) -> None:
        self._watchdog = watchdog
        self.ends_at = ends_at
        self._has_expired = False

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
