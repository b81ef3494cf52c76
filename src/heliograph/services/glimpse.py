"""Something looked at now and then for many askers: once, for all of them, and with patience."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextvars import Context
from typing import Generic, TypeVar

from heliograph.errors import UnavailableError

T = TypeVar("T")


class Glimpse(Generic[T]):
    """What `look` found, kept `keep` seconds. Who asks while it looks waits for the same look.

    A failure is not kept. A look that takes too long goes on behind those who gave up waiting, so
    that a database that hangs is asked once and not once for each probe.
    """

    def __init__(
        self,
        look: Callable[[], Awaitable[T]],
        *,
        keep: float,
        patience: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._look = look
        self._keep = keep
        self._patience = patience
        self._now = now
        self._task: asyncio.Task[T] | None = None
        self._found_at = 0.0

    async def latest(self) -> T:
        """Raises what `look` raises, and `UnavailableError` after `patience` seconds."""
        task = self._task
        if task is None or (task.done() and not self._is_fresh(task)):
            task = self._task = asyncio.create_task(self._run(), context=Context())
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
        done, _ = await asyncio.wait({task}, timeout=self._patience)
        if not done:
            raise UnavailableError
        return task.result()

    async def _run(self) -> T:
        found = await self._look()
        self._found_at = self._now()
        return found

    def _is_fresh(self, task: "asyncio.Task[T]") -> bool:
        failed = task.cancelled() or task.exception() is not None
        return not failed and self._now() - self._found_at < self._keep
