"""Group commit: what waits together is written together.

Items that arrive while a flush of the same key is running wait for the next one and share its
transaction; nothing waits for a timer, unless it is told to linger. Each item has its own outcome:
a flush returns one result for each item, and an exception among them fails that item alone. A batch
that fails as a whole is split until the item to blame stands alone; when the database can't be
reached, none is to blame, and what waits behind the batch fails with it instead of waiting for its
own turn to fail.

Reads can be grouped in the same way: many askers, one statement.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from contextvars import Context
from typing import Generic, TypeVar

from heliograph.errors import UnavailableError
from heliograph.platform.aio.futures import resolve

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")
Result = TypeVar("Result")

Flush = Callable[[Key, Sequence[Item]], Awaitable[Sequence[Result | Exception]]]


class WouldWaitError(Exception):
    """Raised by a flush that gave up instead of waiting for what another one holds."""


class GroupCommit(Generic[Key, Item, Result]):
    """Batches per key; at most `concurrency` flushes of a key run side by side.

    With a concurrency of 1 the items of a key are written in the order they were submitted. Each
    batch waits `linger` seconds for more, where nobody waits for it. With `splits` false, what a
    flush raises is the outcome of its whole batch. `apart` names the key under which an item goes
    on alone once its batch has raised `WouldWaitError`; whatever has the same follows it.
    """

    def __init__(
        self,
        flush: "Flush[Key, Item, Result]",
        *,
        max_batch: int = 500,
        concurrency: int = 1,
        splits: bool = True,
        linger: float = 0.0,
        apart: "Callable[[Item], Key] | None" = None,
    ) -> None:
        self._flush = flush
        self._max_batch = max_batch
        self._concurrency = concurrency
        self._splits = splits
        self._linger = linger
        self._apart = apart
        self._keys_apart: set[Key] = set()
        self._waiting: dict[Key, deque[tuple[Item, asyncio.Future[Result]]]] = {}
        self._running: dict[Key, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def submit(self, key: Key, item: Item) -> "asyncio.Future[Result]":
        """Put the item into the next batch of its key; the future gets its outcome."""
        loop = self._loop
        if loop is None:
            loop = self._loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        if self._keys_apart and self._apart is not None:
            own = self._apart(item)
            key = own if own in self._keys_apart else key
        self._put(loop, key, (item, future))
        return future

    def _put(
        self,
        loop: asyncio.AbstractEventLoop,
        key: Key,
        entry: "tuple[Item, asyncio.Future[Result]]",
    ) -> None:
        waiting = self._waiting.get(key)
        if waiting is None:
            waiting = self._waiting[key] = deque()
        waiting.append(entry)
        running = self._running.get(key, 0)
        if running < (1 if key in self._keys_apart else self._concurrency):
            self._running[key] = running + 1
            # a batch serves many requests: its log lines must not carry the first one's id
            task = loop.create_task(self._work(key), context=Context())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def drain(self) -> None:
        """Wait until nothing is waiting or being written."""
        while self._tasks:
            await asyncio.wait(self._tasks)  # a caller that gives up waiting must not cancel them

    @property
    def waiting(self) -> int:
        return sum(len(items) for items in self._waiting.values())

    async def _work(self, key: Key) -> None:
        try:
            while batch := await self._gather(key):
                await self._write(key, batch)
        finally:
            self._running[key] -= 1
            if not self._running[key]:
                del self._running[key]
                self._keys_apart.discard(key)

    async def _gather(self, key: Key) -> "list[tuple[Item, asyncio.Future[Result]]]":
        if self._linger and self._waiting.get(key):
            await asyncio.sleep(self._linger)
        return self._take(key)

    def _take(self, key: Key) -> "list[tuple[Item, asyncio.Future[Result]]]":
        waiting = self._waiting.get(key)
        if not waiting:
            self._waiting.pop(key, None)
            return []
        return [waiting.popleft() for _ in range(min(len(waiting), self._max_batch))]

    async def _write(self, key: Key, batch: "list[tuple[Item, asyncio.Future[Result]]]") -> None:
        parts = deque([batch])
        while parts:
            part = parts.popleft()
            try:
                outcomes = await self._flush(key, [item for item, _ in part])
            except UnavailableError as error:
                _resolve_all(part, error)
                for others in (*parts, self._waiting.pop(key, ())):
                    _resolve_all(others, _like(error))
                return
            except Exception as error:
                if isinstance(error, WouldWaitError) and self._apart is not None:
                    # the parts behind it as well: they may have items of the same
                    left = [entry for each in (part, *parts) for entry in each]
                    self._move_apart(key, left, self._apart)
                    return
                if len(part) == 1 or not self._splits:
                    _resolve_all(part, error)
                else:
                    middle = len(part) // 2
                    parts.extendleft((part[middle:], part[:middle]))
            else:
                for (_, future), outcome in zip(part, outcomes, strict=True):
                    resolve(future, outcome)

    def _move_apart(
        self,
        key: Key,
        batch: "list[tuple[Item, asyncio.Future[Result]]]",
        apart: "Callable[[Item], Key]",
    ) -> None:
        """Let each item of the batch go on under a key of its own, and after it what waits behind
        the batch for the same."""
        loop = asyncio.get_running_loop()
        self._keys_apart.update(apart(item) for item, _ in batch)
        behind = self._waiting.pop(key, deque())
        for entry in (*batch, *behind):
            own = apart(entry[0])
            self._put(loop, own if own in self._keys_apart else key, entry)


def _like(error: UnavailableError) -> UnavailableError:
    """Return the error of those who waited behind it: what they asked for was not begun."""
    other = UnavailableError()
    other.__cause__ = error.__cause__
    return other


def _resolve_all(
    items: "Iterable[tuple[Item, asyncio.Future[Result]]]", outcome: Exception
) -> None:
    for _, future in items:
        resolve(future, outcome)
