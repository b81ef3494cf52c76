"""`CachedValue`: one value that many ask for and that takes a while to read."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextvars import Context
from typing import Generic, TypeVar

from heliograph.errors import UnavailableError

T = TypeVar("T")


class CachedValue(Generic[T]):
    """What `read` returned, kept for `ttl` seconds. Who asks while it is read waits for that.

    A failure is not kept. A read that takes too long goes on behind those who gave up waiting, so
    that a database that hangs is asked once and not once for each probe.
    """

    def __init__(
        self,
        read: Callable[[], Awaitable[T]],
        *,
        ttl: float,
        patience: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._read = read
        self._ttl = ttl
        self._patience = patience
        self._now = now
        self._task: asyncio.Task[T] | None = None
        self._read_at = 0.0

    async def get(self) -> T:
        """Raises what `read` raises, and `UnavailableError` after `patience` seconds."""
        task = self._task
        if task is None or (task.done() and not self._is_fresh(task)):
            task = self._task = asyncio.create_task(self._run(), context=Context())
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
        done, _ = await asyncio.wait({task}, timeout=self._patience)
        if not done:
            raise UnavailableError
        return task.result()

    async def _run(self) -> T:
        value = await self._read()
        self._read_at = self._now()
        return value

    def _is_fresh(self, task: "asyncio.Task[T]") -> bool:
        failed = task.cancelled() or task.exception() is not None
        return not failed and self._now() - self._read_at < self._ttl
