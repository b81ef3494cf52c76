"""Bridges threads and the event loop: blocking calls, and a queue from the library's threads."""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from threading import Condition, Thread
from typing import Generic, TypeVar

T = TypeVar("T")


def run_aside(work: Callable[[], object], name: str) -> None:
    """Run the work in a thread, without waiting for it."""
    Thread(target=work, name=name, daemon=True).start()


async def call_aside(work: Callable[[], T], name: str) -> T:
    """Run the work in a thread. Returns its result, or raises its exception.

    When the caller is canceled, the work goes on.
    """
    # the process would wait at its end for a pool's threads, for as long as the network takes
    answer: Future[T] = Future()
    answer.set_running_or_notify_cancel()  # a canceled caller does not end it

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as error:
            answer.set_exception(error)

    run_aside(run, name)
    return await asyncio.wrap_future(answer)


Item = TypeVar("Item")
CAPACITY = 500


class ThreadQueue(Generic[Item]):
    """A bounded queue, made on the event loop that takes from it; `put` is for any other thread.

    A foreign thread that finds the queue full waits: the library then stops reading from the
    network. The event loop never waits for a thread; it is woken once for any number of items.
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._loop = asyncio.get_running_loop()
        self._items: deque[Item] = deque()
        self._changed = Condition()
        self._wake = asyncio.Event()
        self._is_woken = False
        self._is_closed = False

    def put(self, item: Item) -> bool:
        """Add an item, waiting while there is no room. Returns False once the queue is closed."""
        with self._changed:
            while len(self._items) >= self._capacity and not self._is_closed:
                self._changed.wait()
            if self._is_closed:
                return False
            self._items.append(item)
            if not self._is_woken:
                self._is_woken = True
                self._call_loop()
            return True

    async def take(self, most: int) -> list[Item]:
        """Wait for items, and take at most `most`, in order."""
        while True:
            self._wake.clear()
            items = self.take_now(most)
            if items:
                return items
            await self._wake.wait()

    def take_now(self, most: int) -> list[Item]:
        """Take the items at hand, at most `most`."""
        with self._changed:
            items = [self._items.popleft() for _ in range(min(most, len(self._items)))]
            self._is_woken = bool(self._items)
            self._changed.notify_all()
        if self._is_woken:
            self._wake.set()
        return items

    def close(self) -> None:
        """Close the queue: waiting threads continue."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _call_loop(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._wake.set)
        except RuntimeError:  # the loop is closed: the process ends
            self._is_closed = True
