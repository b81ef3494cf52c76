"""What is known about API keys, for a moment: bounded in age, in number and in queries."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from heliograph.model.api_keys import ApiKeyCheck
from heliograph.model.boot_clock import boot_time

MAX_AGE = 0.9
MAX_ENTRIES = 10_000


@dataclass(frozen=True, slots=True)
class _Entry:
    started: float
    check: ApiKeyCheck | None


class KeyCache:
    """Answers of `look_up`, unknown keys too, each believed for 900 ms from its query's start.

    Requests that ask for the same key at the same time share one query. The oldest answers give
    way to new ones, so that made-up key ids can't fill the memory.
    """

    def __init__(
        self,
        look_up: Callable[[str], Awaitable[ApiKeyCheck | None]],
        *,
        clock: Callable[[], float] = boot_time,
        max_entries: int = MAX_ENTRIES,
    ) -> None:
        self._look_up = look_up
        self._clock = clock
        self._max_entries = max_entries
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._running: dict[str, tuple[float, asyncio.Task[ApiKeyCheck | None]]] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def clear(self) -> None:
        """Forget everything; what is being read now answers its askers and is not kept."""
        self._entries.clear()
        self._running.clear()

    async def find(self, key_id: str) -> ApiKeyCheck | None:
        """What the database says, or said at most 900 ms ago. Raises what `look_up` raises."""
        oldest = self._clock() - MAX_AGE
        entry = self._entries.get(key_id)
        if entry is not None and entry.started >= oldest:
            return entry.check
        running = self._running.get(key_id)
        if running is None or running[0] < oldest:
            running = self._start(key_id)
        # shielded: one asker that goes away must not take the answer from the others
        return await asyncio.shield(running[1])

    def _start(self, key_id: str) -> tuple[float, asyncio.Task[ApiKeyCheck | None]]:
        started = self._clock()
        task = asyncio.create_task(self._run(key_id, started))
        self._running[key_id] = running = (started, task)
        task.add_done_callback(_retrieve)
        return running

    async def _run(self, key_id: str, started: float) -> ApiKeyCheck | None:
        task = asyncio.current_task()
        try:
            check = await self._look_up(key_id)
            if self._is_running(key_id, task):
                self._keep(key_id, _Entry(started, check))
            return check
        finally:
            if self._is_running(key_id, task):
                del self._running[key_id]

    def _is_running(self, key_id: str, task: "asyncio.Task[object] | None") -> bool:
        running = self._running.get(key_id)
        return running is not None and running[1] is task

    def _keep(self, key_id: str, entry: _Entry) -> None:
        self._entries[key_id] = entry
        self._entries.move_to_end(key_id)
        while len(self._entries) > self._max_entries:
            self._entries.popitem(last=False)


def _retrieve(task: "asyncio.Task[ApiKeyCheck | None]") -> None:
    """An error that nobody waits for any more is no news."""
    if not task.cancelled():
        task.exception()
