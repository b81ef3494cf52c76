"""What the database said a moment ago: bounded in age, in number and in queries."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from heliograph.platform.database.boot_clock import boot_time

MAX_AGE = 0.9
MAX_ENTRIES = 10_000

Key = TypeVar("Key", bound=Hashable)
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class _Entry(Generic[Answer]):
    started: float
    answer: Answer


class TtlCache(Generic[Key, Answer]):
    """Answers of `look_up`, None too, each believed for 900 ms from its query's start.

    Requests that ask for the same key at the same time share one query; what it raises reaches
    them all and is not kept. The oldest answers give way to new ones, so that made-up keys can't
    fill the memory.
    """

    def __init__(
        self,
        look_up: Callable[[Key], Awaitable[Answer]],
        *,
        clock: Callable[[], float] = boot_time,
        max_entries: int = MAX_ENTRIES,
    ) -> None:
        self._look_up = look_up
        self._clock = clock
        self._max_entries = max_entries
        self._entries: OrderedDict[Key, _Entry[Answer]] = OrderedDict()
        self._running: dict[Key, tuple[float, asyncio.Task[Answer]]] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def clear(self) -> None:
        """Forget everything; what is being read now answers its askers and is not kept."""
        self._entries.clear()
        self._running.clear()

    async def find(self, key: Key) -> Answer:
        """What the database says, or said at most 900 ms ago. Raises what `look_up` raises."""
        oldest = self._clock() - MAX_AGE
        entry = self._entries.get(key)
        if entry is not None and entry.started >= oldest:
            return entry.answer
        running = self._running.get(key)
        if running is None or running[0] < oldest:
            running = self._start(key)
        # shielded: one asker that goes away must not take the answer from the others
        return await asyncio.shield(running[1])

    def _start(self, key: Key) -> tuple[float, asyncio.Task[Answer]]:
        started = self._clock()
        task = asyncio.create_task(self._run(key, started))
        self._running[key] = running = (started, task)
        task.add_done_callback(_retrieve)
        return running

    async def _run(self, key: Key, started: float) -> Answer:
        task = asyncio.current_task()
        try:
            answer = await self._look_up(key)
            if self._is_running(key, task):
                self._keep(key, _Entry(started, answer))
            return answer
        finally:
            if self._is_running(key, task):
                del self._running[key]

    def _is_running(self, key: Key, task: "asyncio.Task[object] | None") -> bool:
        running = self._running.get(key)
        return running is not None and running[1] is task

    def _keep(self, key: Key, entry: _Entry[Answer]) -> None:
        self._entries[key] = entry
        self._entries.move_to_end(key)
        while len(self._entries) > self._max_entries:
            self._entries.popitem(last=False)


def _retrieve(task: "asyncio.Task[Answer]") -> None:
    """An error that nobody waits for any more is no news."""
    if not task.cancelled():
        task.exception()
