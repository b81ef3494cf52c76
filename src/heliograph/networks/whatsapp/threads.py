"""Between threads and the event loop: calls that block, and a queue from the library's threads."""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from threading import Condition, Thread
from typing import Generic, TypeVar

T = TypeVar("T")


def run_aside(work: Callable[[], object], name: str) -> None:
    """Run the work in a thread, and wait for nothing."""
    Thread(target=work, name=name, daemon=True).start()


async def call_aside(work: Callable[[], T], name: str) -> T:
    """Run the work in a thread; returns what it returns, or raises what it raises.

    When the caller is canceled, the work goes on.
    """
    # a pool's threads would be waited for at the process's end, as long as the network takes
    answer: Future[T] = Future()
    answer.set_running_or_notify_cancel()  # a caller that leaves does not end it

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

    A foreign thread that finds the queue full waits in it: the library then holds back what it
    reads from the network. The event loop never waits for a thread; it is woken once however much
    there is.
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
        """Add an item, waiting while there is no room; returns False once nobody takes any more."""
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
        """Wait for items, and take up to so many, in order."""
        while True:
            self._wake.clear()
            items = self.take_now(most)
            if items:
                return items
            await self._wake.wait()

    def take_now(self, most: int) -> list[Item]:
        """Take what there is, up to so many."""
        with self._changed:
            items = [self._items.popleft() for _ in range(min(most, len(self._items)))]
            self._is_woken = bool(self._items)
            self._changed.notify_all()
        if self._is_woken:
            self._wake.set()
        return items

    def close(self) -> None:
        """Take no more: a thread that waits to put goes on."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _call_loop(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._wake.set)
        except RuntimeError:  # the loop is closed: the process ends
            self._is_closed = True
